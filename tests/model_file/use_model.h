#pragma once
#include <string>

#include "craton/model/registry.h"

namespace craton::model_file {

// Asks a loaded model everything it can do, on rows near and far, by tables and by rows; lets it
// learn, unlearn and merge. Returns what is wrong with the parameters or the answers: NaN, an
// infinity, an error without a code; "" when all is well.
std::string use_model(const Fitted& fitted);

}  // namespace craton::model_file
