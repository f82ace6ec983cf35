#include "craton/core/version.h"

namespace craton {

std::string_view version() { return CRATON_VERSION; }

}  // namespace craton
