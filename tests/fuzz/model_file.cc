#include "craton/model/model_file.h"
#include "craton/base/error.h"
#include "craton/model/model_metadata.h"
#include "tests/fuzz/fuzz.h"
#include "tests/model_file/raw_file.h"
#include "tests/model_file/use_model.h"

// The bytes as they are; then with every hash made right, and without asking for the digest, so
// that what lies behind the hashes is reached. A model that comes out must work.

using namespace craton;

namespace {

void load_without_digest(const Bytes& bytes) {
  Archive archive = unpack_archive(bytes, "fuzz");
  ModelMetadata metadata = read_metadata(archive.metadata, "fuzz");
  const ParameterList parameters(std::move(archive.sections));
  Fitted fitted{metadata.info->from_parameters(parameters), metadata.report, metadata.options,
                metadata.schema, metadata.origin};
  if (fitted.schema.size() != fitted.model->columns()) return;
  const std::string fault = model_file::use_model(fitted);
  if (!fault.empty()) fuzz::fail(fault);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Bytes bytes(begin, begin + size);
  fuzz::refused_or_read(ErrorKind::kModelFile, [&] { unpack_model(bytes, "fuzz"); });
  model_file::rehash(bytes);
  fuzz::refused_or_read(ErrorKind::kModelFile, [&] { load_without_digest(bytes); });
  return 0;
}
