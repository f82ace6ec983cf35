#pragma once
#include <span>
#include <string>

#include "craton/model/archive.h"
#include "craton/model/registry.h"

// Model files: an archive whose arrays are the parameters and whose metadata is the rest of a
// Fitted: name, options, columns, report, digest (docs/model-file.md lists the members).

namespace craton {

// A fitted model as the bytes of a model file, and back. What comes back has the digest that was
// stored; InputError (kNotAModel, kDamagedModel, kNewerModel) otherwise. `file` is for messages.
Bytes pack_model(const Fitted& fitted);
Fitted unpack_model(std::span<const std::byte> bytes, const std::string& file);

// Saves to a temporary file beside `path`, syncs it, and renames: the old file or the new one.
void save_model(const Fitted& fitted, const std::string& path);
// A file that is no model is refused after its first bytes, however long it is. `name` is what
// messages call it, when that is not the path.
Fitted load_model(const std::string& path, const std::string& name = {});

}  // namespace craton
