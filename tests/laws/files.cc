#include <set>

#include "craton/core/files.h"
#include "craton/core/row_groups.h"
#include "craton/io/csv_write.h"
#include "craton/io/npy.h"
#include "craton/io/open.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

using namespace craton;
using namespace craton::laws;

TEST_CASE("files do not change bits") {
  const Data data = groups(20'011, 3, 30);
  const Array x{{data.rows, data.cols}, data.x};
  const Folder folder;
  write_file(folder / "x.csv", write_csv(numbered_schema(data.cols).names(), x.view()));
  write_file(folder / "x.npy", write_npy(x));
  ReadOptions spooled;
  spooled.memory = 0;
  spooled.temporary_folder = folder / "";
  spooled.header = Header::kYes;
  ReadOptions in_memory = spooled;
  in_memory.memory = Index{1} << 30;
  for_every_model([&](const ModelInfo& model) {
    std::set<std::string> digests{digest(fit(model, data))};
    for (const int threads : {1, 2}) {
      const Exec exec{.threads = threads};
      for (const ReadOptions& options : {in_memory, spooled}) {
        const OpenedTable csv = open_table(folder / "x.csv", options, exec);
        CHECK(dynamic_cast<GroupedSource&>(*csv.source).in_memory() == (options.memory > 0));
        digests.insert(digest(fit(model, *csv.source, exec)));
      }
      const OpenedTable npy = open_table(folder / "x.npy", {}, exec);
      digests.insert(digest(fit(model, *npy.source, exec)));
    }
    CHECK(digests.size() == 1);
  });
}
