#include <set>

#include "craton/base/files.h"
#include "craton/io/csv_write.h"
#include "craton/io/npy.h"
#include "craton/io/open.h"
#include "craton/tables/view.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

using namespace craton;
using namespace craton::laws;

namespace {

std::string fit_file(const ModelInfo& model, Source& file, const Exec& exec) {
  const Index cols = file.shape().cols - 1;
  Selection features;
  for (Index j = 0; j < cols; ++j) features.columns.push_back({.from = j});
  View rows(file);
  if (model.abilities.numbers) {
    rows.target(cols);
  } else if (!model.abilities.some_labels) {
    rows.label(find_classes(file, cols, exec));
  }
  return digest(fit(model, rows.select(features), exec));
}

}  // namespace

TEST_CASE("files do not change bits") {
  const Folder folder;
  ReadOptions spooled;
  spooled.memory = 0;
  spooled.temporary_folder = folder / "";
  spooled.header = Header::kYes;
  ReadOptions in_memory = spooled;
  in_memory.memory = Index{1} << 30;
  for_every_model([&](const ModelInfo& model) {
    const Data data = groups(model, 20'011, 3, 30);
    Array x{{data.rows, data.cols + 1}, {}};  // the last column has the labels, or the numbers
    for (Index i = 0; i < data.rows; ++i) {
      x.values.insert(x.values.end(), &data.x[usize(i * data.cols)],
                      &data.x[usize(i * data.cols)] + data.cols);
      x.values.push_back(data.numbers ? data.targets[usize(i)] : data.labels[usize(i)]);
    }
    write_file(folder / "x.csv", write_csv(numbered_schema(data.cols + 1).names(), x.view()));
    write_file(folder / "x.npy", write_npy(x));
    std::set<std::string> digests{digest(fit(model, data))};
    for (const int threads : {1, 2}) {
      const Exec exec{.threads = threads};
      for (const ReadOptions& options : {in_memory, spooled}) {
        const OpenedTable csv = open_table(folder / "x.csv", options, exec);
        CHECK(csv.source->in_memory() == (options.memory > 0));
        digests.insert(fit_file(model, *csv.source, exec));
      }
      const OpenedTable npy = open_table(folder / "x.npy", {}, exec);
      digests.insert(fit_file(model, *npy.source, exec));
    }
    CHECK(digests.size() == 1);
  });
}
