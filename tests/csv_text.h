#pragma once
#include "craton/io/csv.h"

// CSV from a string, for tests.

namespace craton {

inline std::unique_ptr<Input> input_of(std::string_view text) {
  return memory_input(std::as_bytes(std::span(text.data(), text.size())), "t.csv");
}

struct How {
  Index block = kCsvBlock;
  int threads = 1;
  ReadOptions options = {};
};

inline OpenedTable open(std::string_view text, const How& how = {}) {
  return read_csv([&](int) { return input_of(text); }, how.options, {.threads = how.threads},
                  how.block);
}

inline std::vector<double> values_of(Source& source) {
  const Shape shape = source.shape();
  std::vector<double> values;
  for (Index first = 0; first < shape.rows; first += 100) {  // spans groups
    Block block;
    Chunk chunk;
    source.fetch({first, std::min(first + 100, shape.rows)}, block);
    source.decode(block, chunk);
    const auto& x = std::get<Dense<double>>(chunk.x);
    values.insert(values.end(), x.data, x.data + x.rows * x.cols);
  }
  return values;
}

}  // namespace craton
