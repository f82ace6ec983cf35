#include "craton/model/model_file.h"

#include <utility>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/model/archive.h"
#include "craton/model/model_metadata.h"

namespace craton {
namespace {

constexpr std::string_view kMemory = "memory.";  // before the names of its arrays

// Whatever from_parameters() objects to, the file is at fault.
std::unique_ptr<AnyModel> make_model(const ModelInfo& info, const ParameterList& parameters,
                                     const std::string& file, const std::string& written_by) {
  try {
    return info.from_parameters(parameters);
  } catch (const InputError& error) {
    fail_model(file, written_by, error.complaint().plain());
  }
}

// A later version may remember more than this one: what the model does not know is ignored.
void check_memory(Fitted& fitted, const std::string& file, const std::string& written_by) {
  if (!fitted.info().abilities.memory) fitted.memory = {};
  if (fitted.memory.get().empty()) return;
  try {
    fitted.model->check_memory(fitted.memory.get());
  } catch (const InputError& error) {
    fail_model(file, written_by, error.complaint().plain());
  }
}

// What a load would refuse is not written: a fit to numbers at the ends of what doubles hold can
// end in such parameters.
void check_saved(const Fitted& fitted, const ParameterList& parameters) {
  try {
    fitted.info().from_parameters(parameters);
    if (fitted.info().abilities.memory && !fitted.memory.get().empty()) {
      fitted.model->check_memory(fitted.memory.get());
    }
  } catch (const InputError& error) {
    throw InputError(
        Code::kNotFinite, {},
        {"the model cannot be saved, as no file could be read back: {}", error.complaint()},
        "Its values or weights are too large or too small: multiply or divide them by "
        "a power of ten, and fit again.");
  }
}

}  // namespace

Bytes pack_model(const Fitted& fitted) {
  const ParameterList parameters = ParameterList::of(*fitted.model);
  check_saved(fitted, parameters);
  std::vector<ParameterView> sections(parameters.all().begin(), parameters.all().end());
  const ParameterList memory(fitted.memory.get());
  for (const ParameterView& part : memory.all()) {
    sections.push_back(part);
    sections.back().name.insert(0, kMemory);
  }
  return pack_archive(write_metadata(fitted), sections);
}

Fitted unpack_model(std::span<const std::byte> bytes, const std::string& file) {
  Archive archive = unpack_archive(bytes, file);
  ModelMetadata metadata = read_metadata(archive.metadata, file);
  std::vector<ParameterView> own;
  std::vector<Parameter> memory;
  for (ParameterView& section : archive.sections) {
    if (section.name.starts_with(kMemory)) {
      section.name.erase(0, kMemory.size());
      memory.push_back(copy_of(section));
    } else {
      own.push_back(std::move(section));
    }
  }
  const ParameterList parameters(std::move(own));
  const std::string& by = metadata.library_version;
  Fitted fitted{make_model(*metadata.info, parameters, file, by),
                std::move(metadata.report),
                std::move(metadata.options),
                std::move(metadata.schema),
                std::move(metadata.origin),
                std::move(memory)};
  if (fitted.schema.size() != fitted.model->columns()) {
    fail_model(file, by, "it names another number of columns than its parameters have");
  }
  if (!fitted.model->steps().fit(fitted.schema)) {
    fail_model(file, by, "it names other columns than its terms are made of");
  }
  const std::optional<Column>& target = fitted.schema.target;
  const Abilities& able = fitted.info().abilities;
  if (fitted.schema.number_target() != able.numbers) {
    fail_model(
        file, by,
        able.numbers ? "its target is no column of numbers" : "its target is a column of numbers");
  }
  if ((target.has_value() != (able.labels || able.numbers) && !able.some_labels) ||
      (target && ssize(target->levels) != fitted.model->classes())) {
    fail_model(file, by, "it names other labels than its parameters have");
  }
  if (digest(fitted) != metadata.digest && old_digest(fitted) != metadata.digest) {
    fail_model(file, by, "its parameters and options do not have the digest that it records");
  }
  check_memory(fitted, file, by);
  return fitted;
}

void save_model(const Fitted& fitted, const std::string& path) {
  write_file(path, pack_model(fitted));
}

Fitted load_model(const std::string& path, const std::string& name) {
  const std::string& shown = name.empty() ? path : name;
  const auto length_of = [&](std::span<const std::byte> head) {
    return archive_length(head, shown);
  };
  return unpack_model(read_file(path, kArchiveHead, length_of), shown);
}

}  // namespace craton
