#include "craton/classes/counts/order_free_sums.h"

#include <algorithm>
#include <cmath>

#include "craton/classes/counts/count_entries.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

namespace craton {

bool is_whole(double value) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  return value >= kMostExact || value == static_cast<double>(static_cast<Index>(value));
}

// Powers of two as kernels/exact_sums.h wants them: sums of so many h, and l, stay exact.
OrderFreeAdder OrderFreeAdder::of(double largest, Index terms) {
  const double rows = static_cast<double>(std::max<Index>(terms, 2));
  const int bits = static_cast<int>(std::ceil(std::log2(rows)));
  const int exponent = std::max(std::ilogb(std::max(largest, 1e-200)) + 1 + bits - 51, -900);
  const double q = std::ldexp(1.0, exponent), fine = std::ldexp(q, bits - 52);
  return {1.5 * 4503599627370496.0 * q, 1.5 * 4503599627370496.0 * fine};
}

namespace {

class TermSurvey {
 public:
  TermSurvey(const Source& x, const Summand& summand) : x_(&x), summand_(summand) {}
  const TermFacts& terms() const { return terms_; }
  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *x_);
    std::visit(
        [&](const auto& x) {
          for (Index i = 0; i < x.rows; ++i) {
            double largest = summand_.binary ? 1 : 0;
            if (!summand_.binary) {
              for_entries(x, i, [&](Index, double value) { largest = std::max(largest, value); });
            }
            const double w = chunk.weight(i);
            terms_.largest = std::max(terms_.largest, w * largest);
            terms_.whole_weights = terms_.whole_weights && is_whole(w);
          }
        },
        chunk.x);
  }
  void merge(const TermSurvey& next) {
    terms_.largest = std::max(terms_.largest, next.terms_.largest);
    terms_.whole_weights = terms_.whole_weights && next.terms_.whole_weights;
  }
  void write(Writer& writer) const { writer.put(terms_); }
  void read(Reader& reader) { reader.get(terms_); }
  Index words() const { return 2; }
  Merge merge_kind() const { return Merge::kExact; }

 private:
  const Source* x_;
  Summand summand_;
  TermFacts terms_;
};

}  // namespace

TermFacts survey_terms(Source& x, const Summand& summand, const Exec& exec) {
  return fold(x, TermSurvey(x, summand), exec).terms();
}

}  // namespace craton
