#include <algorithm>
#include <set>

#include "craton/base/files.h"
#include "craton/io/npy.h"
#include "craton/io/open.h"
#include "craton/model/model_file.h"
#include "craton/tables/view.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

// The laws again, for every shape of covariances with every rule that shrinks them.

using namespace craton;
using namespace craton::laws;

namespace {

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

template <class Law>
void for_every_shrinkage(const Law& law) {
  Index count = 0;
  for_every_model([&](const ModelInfo& model) {
    const std::vector<Option> options = model.options();
    const Option* const type = find_option(options, "covariance_type");
    const Option* const shrinkage = find_option(options, "shrinkage");
    if (!type || !shrinkage) return;
    for (const auto& shape : type->choices) {
      for (const auto& rule : shrinkage->choices) {
        CAPTURE(shape);
        CAPTURE(rule);
        ++count;
        law(model, std::vector<NamedOption>{{"covariance_type", shape}, {"shrinkage", rule}});
      }
    }
  });
  CHECK(count == 18);
}

Fitted fit_with(const ModelInfo& model, const Data& data, const std::vector<NamedOption>& options,
                const Exec& exec = {}) {
  MemorySource x = data.source();
  return model.fit(x, options, exec);
}

}  // namespace

TEST_CASE("shrunk covariances have one digest, on any threads, from memory and file") {
  const Folder folder;
  const Data data = groups(20'011, 3, 30);
  Array x{{data.rows, data.cols + 1}, {}};  // the last column has the labels
  for (std::size_t i = 0; i < usize(data.rows); ++i) {
    x.values.insert(x.values.end(), &data.x[i * 3], &data.x[i * 3] + 3);
    x.values.push_back(data.labels[i]);
  }
  write_file(folder / "x.npy", write_npy(x));
  const OpenedTable npy = open_table(folder / "x.npy", {}, {});
  for_every_shrinkage([&](const ModelInfo& model, const std::vector<NamedOption>& options) {
    std::set<std::string> digests;
    for (const int threads : {1, 2, 7}) {
      digests.insert(digest(fit_with(model, data, options, {.threads = threads})));
    }
    View rows(*npy.source);
    rows.label(find_classes(rows, 3, {}));
    rows.select({.columns = {{.from = 0}, {.from = 1}, {.from = 2}}});
    digests.insert(digest(model.fit(rows, options, {})));
    CHECK(digests.size() == 1);
  });
}

TEST_CASE("of shrunk covariances weights equal repeats, in any order") {
  Data data = groups(300, 3, 4);
  std::vector<Index> repeated;
  for (Index i = 0; i < data.rows; ++i) {
    data.weights.push_back(static_cast<double>(i % 4));
    repeated.insert(repeated.begin(), usize(i % 4), i);
  }
  for_every_shrinkage([&](const ModelInfo& model, const std::vector<NamedOption>& options) {
    const Fitted weighted = fit_with(model, data, options);
    CHECK(difference(weighted, fit_with(model, data.rows_at(repeated), options)) < 1e-11);
  });
}

TEST_CASE("shrunk covariances of batches, merged or learned on, are those of one fit") {
  const Data data = groups(900, 3, 46);
  for_every_shrinkage([&](const ModelInfo& model, const std::vector<NamedOption>& options) {
    const Fitted whole = fit_with(model, data, options);
    const Fitted half = fit_with(model, data.slice(0, 400), options);
    const Fitted other = fit_with(model, data.slice(400, 900), options);
    CHECK(difference(model.merge(half, unpack_model(pack_model(other), "copy")), whole) < 1e-11);
    const Data rest = data.slice(400, 900);
    MemorySource x = rest.source();
    CHECK(difference(model.partial_fit(half, x, options, {}), whole) < 1e-11);
    CHECK(difference(model.unlearn(whole, x, options, {}), half) < 1e-9);
    // Of two models that kept unlike sums, what both kept.
    const Fitted more = fit_with(model, rest, {options[0], {"shrinkage", "auto"}});
    if (std::get<std::string>(options[1].second) == "auto") return;
    CHECK(difference(model.merge(half, more), whole) < 1e-11);
  });
}
