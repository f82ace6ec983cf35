#include "craton/base/source_over.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace craton {
namespace {

bool lies_in(const std::vector<std::byte>& bytes, const void* what) {
  const auto* const at = static_cast<const std::byte*>(what);
  return std::greater_equal<>()(at, bytes.data()) && std::less<>()(at, bytes.data() + bytes.size());
}

bool lies_in(const std::vector<std::byte>& bytes, const Chunk& chunk) {
  const auto rows_do = [&]<class View>(const View& x) {
    if constexpr (requires { x.stride; }) {
      return lies_in(bytes, x.data);
    } else {
      return lies_in(bytes, x.offsets) || lies_in(bytes, x.values);
    }
  };
  return std::visit(rows_do, chunk.x) || lies_in(bytes, chunk.weights.data()) ||
         lies_in(bytes, chunk.targets.data()) || lies_in(bytes, chunk.labels.data());
}

}  // namespace

double* SourceOver::make_room(Block& block, Chunk& chunk, Index numbers,
                              std::vector<std::byte>& theirs) {
  const Index rows = chunk.rows();
  if (lies_in(block.decoded, chunk)) std::swap(theirs, block.decoded);
  block.decoded.resize(usize(numbers + 3 * rows) * sizeof(double));
  auto* const room = reinterpret_cast<double*>(block.decoded.data());
  double* to = room + numbers;
  for (std::span<const double>* role : {&chunk.weights, &chunk.targets}) {
    std::copy(role->begin(), role->end(), to);
    if (!role->empty()) *role = {to, usize(rows)};
    to += rows;
  }
  if (!chunk.labels.empty()) {
    auto* const labels = reinterpret_cast<std::int32_t*>(to);
    std::copy(chunk.labels.begin(), chunk.labels.end(), labels);
    chunk.labels = {labels, usize(rows)};
  }
  return room;
}

}  // namespace craton
