// What bench/products/run.py runs: products and factorisations, craton's beside those of an
// OpenBLAS library, in one process and one thread, in turns.
//
//   bench_products LIBRARY ROUNDS SECONDS LARGEST [TASK]   a line of JSON for each case
//
// LIBRARY is NumPy's own, with its names of functions; a case is repeated for SECONDS in a round,
// and sizes above LARGEST are left out, as are tasks whose names do not contain TASK. Times are CPU
// times of the thread; what both computed is compared.
#include <dlfcn.h>
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/random.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/algebra/qr.h"

namespace {

using namespace craton;
using Doubles = std::vector<double>;
template <class T>
using Numbers = std::vector<T>;

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class T = double>
Numbers<T> some(Index count, std::uint64_t row) {
  Random random(9, Purpose::kTest, 0, row);
  Numbers<T> result(usize(count));
  for (T& v : result) v = static_cast<T>(random.normal());
  return result;
}

// How OpenBLAS and LAPACK are called: by columns, with 64-bit indices (CBLAS by rows too).
class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW)) {
    if (!handle_) throw std::runtime_error(dlerror());
  }
  template <class F>
  F* get(const std::string& name, const char* end) const {
    const std::string full = "scipy_" + name + end;
    void* const found = dlsym(handle_, full.c_str());
    if (!found) throw std::runtime_error("no " + full);
    return reinterpret_cast<F*>(found);
  }
  template <class F>
  F* blas(const std::string& name) const {
    return get<F>("cblas_" + name, "64_");
  }
  template <class F>
  F* lapack(const std::string& name) const {
    return get<F>(name, "_64_");
  }

 private:
  void* handle_;
};

constexpr int kByRows = 101, kPlain = 111, kTransposed = 112, kLower = 122, kNonUnit = 131,
              kLeft = 141;
template <class T>
using Gemm = void(int, int, int, Index, Index, Index, T, const T*, Index, const T*, Index, T, T*,
                  Index);
template <class T>
using Syrk = void(int, int, int, Index, Index, T, const T*, Index, T, T*, Index);
using Trsm = void(int, int, int, int, int, Index, Index, double, const double*, Index, double*,
                  Index);
using Potrf = void(const char*, Index*, double*, Index*, Index*);
using Geqrf = void(Index*, Index*, double*, Index*, double*, double*, Index*, Index*);
using Geqp3 = void(Index*, Index*, double*, Index*, Index*, double*, double*, Index*, Index*);
using Tpqrt = void(Index*, Index*, Index*, Index*, double*, Index*, double*, Index*, double*,
                   Index*, double*, Index*);
using Syevd = void(const char*, const char*, Index*, double*, Index*, double*, double*, Index*,
                   Index*, Index*, Index*);

// One side of a comparison: what it does before the clock starts, and what is measured.
struct Side {
  std::function<void()> prepare, run;
};

class Bench {
 public:
  Bench(int rounds, double seconds, std::string_view task)
      : rounds_(rounds), seconds_(seconds), task_(task) {}

  // `gap` compares what both left behind, relative to its size.
  void compare(const std::string& task, const std::string& rival, const std::string& type,
               Index rows, Index columns, double operations, const Side& craton, const Side& other,
               const std::function<double()>& gap) const {
    if (task.find(task_) == std::string::npos) return;
    const Side* const sides[2] = {&craton, &other};
    time(craton), time(other);
    const double off = gap();
    std::string times[2];
    for (int round = 0; round < rounds_; ++round) {
      std::vector<double> runs[2];
      for (double spent = 0; runs[0].empty() || spent < 2 * seconds_;) {
        for (const int side : {round % 2, 1 - round % 2}) {
          runs[side].push_back(time(*sides[side]));
          spent += runs[side].back();
        }
      }
      const double t[2] = {median(runs[0]), median(runs[1])};
      for (int side = 0; side < 2; ++side) {
        times[side] += fmt::format("{}{:.9f}", round > 0 ? ", " : "", t[side]);
      }
    }
    fmt::print(
        "{{\"task\": \"{}\", \"rival\": \"{}\", \"type\": \"{}\", \"rows\": {}, \"columns\": {}, "
        "\"operations\": {:.0f}, \"craton\": [{}], \"other\": [{}], \"gap\": {:.1e}}}\n",
        task, rival, type, rows, columns, operations, times[0], times[1], off);
    std::fflush(stdout);
  }

 private:
  static double time(const Side& side) {
    side.prepare();
    const double start = now();
    side.run();
    return now() - start;
  }
  static double median(std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
    return times[times.size() / 2];
  }

  int rounds_;
  double seconds_;
  std::string_view task_;
};

template <class T>
double largest_gap(const Numbers<T>& a, const Numbers<T>& b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off = std::max(off, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return off / size;
}

// Of upper triangles, one by rows and one by columns `stride` apart; signs of rows are free.
double triangle_gap(const Doubles& r, const Doubles& by_column, Index d, Index stride) {
  double off = 0, size = 0;
  for (Index i = 0; i < d; ++i) {
    for (Index j = i; j < d; ++j) {
      const double x = std::abs(r[usize(i * d + j)]);
      const double y = std::abs(by_column[usize(j * stride + i)]);
      off = std::max(off, std::abs(x - y)), size = std::max(size, y);
    }
  }
  return off / size;
}

Doubles turned(const Doubles& a, Index rows, Index columns) {
  Doubles result(a.size());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) result[usize(j * rows + i)] = a[usize(i * columns + j)];
  }
  return result;
}

template <class T>
void products(const Library& library, const Bench& bench, Index n, const char* type,
              const char* letter) {
  auto* const gemm = library.blas<Gemm<T>>(std::string(letter) + "gemm");
  auto* const syrk = library.blas<Syrk<T>>(std::string(letter) + "syrk");
  const Numbers<T> a = some<T>(n * n, 1), b = some<T>(n * n, 2);
  Numbers<T> w = some<T>(n, 3), x(usize(n * n)), y(usize(n * n)), scaled(usize(n * n));
  for (T& v : w) v = std::abs(v);
  const auto nothing = [] {};
  const auto gap = [&] { return largest_gap(x, y); };
  const double cube = static_cast<double>(n * n * n);
  bench.compare("product", "gemm", type, n, n, 2 * cube,
                {nothing, [&] { row_products(a.data(), n, n, b.data(), n, n, n, x.data(), n); }},
                {nothing,
                 [&] {
                   gemm(kByRows, kPlain, kTransposed, n, n, n, 1, a.data(), n, b.data(), n, 0,
                        y.data(), n);
                 }},
                gap);
  const auto clear = [&] { std::fill(x.begin(), x.end(), T{0}); };
  const auto clear_other = [&] { std::fill(y.begin(), y.end(), T{0}); };
  bench.compare("Gram matrix", "syrk", type, n, n, cube,
                {clear, [&] { add_gram(a.data(), n, n, n, nullptr, x.data(), n); }},
                {clear_other,
                 [&] { syrk(kByRows, kLower, kTransposed, n, n, 1, a.data(), n, 1, y.data(), n); }},
                gap);
  bench.compare("weighted Gram matrix", "rows scaled, syrk", type, n, n, cube,
                {clear, [&] { add_gram(a.data(), n, n, n, w.data(), x.data(), n); }},
                {clear_other,
                 [&] {
                   for (Index i = 0; i < n; ++i) {
                     const T root = std::sqrt(w[usize(i)]);
                     for (Index j = 0; j < n; ++j)
                       scaled[usize(i * n + j)] = root * a[usize(i * n + j)];
                   }
                   syrk(kByRows, kLower, kTransposed, n, n, 1, scaled.data(), n, 1, y.data(), n);
                 }},
                gap);
}

void triangles(const Library& library, const Bench& bench, Index n) {
  auto* const potrf = library.lapack<Potrf>("dpotrf");
  auto* const trsm = library.blas<Trsm>("dtrsm");
  const Doubles numbers = some(n * n, 1), b = some(n * n, 2);
  Doubles a(usize(n * n)), x, y;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      a[usize(i * n + j)] = a[usize(j * n + i)] = numbers[usize(i * n + j)];
    }
    a[usize(i * (n + 1))] += 4 * std::sqrt(static_cast<double>(n));
  }
  const double cube = static_cast<double>(n * n * n);
  Index size = n, info = 0;
  bench.compare("Cholesky", "potrf", "double", n, n, cube / 3,
                {[&] { x = a; },
                 [&] {
                   if (!cholesky(x, n)) throw std::runtime_error("not definite");
                 }},
                {[&] { y = a; }, [&] { potrf("U", &size, y.data(), &size, &info); }}, [&] {
                  for (Index i = 0; i < n; ++i)
                    std::fill_n(y.begin() + i * n + i + 1, n - i - 1, 0.0);
                  return largest_gap(x, y);
                });
  Doubles lower = a;
  if (!cholesky(lower, n)) throw std::runtime_error("not definite");
  for (const bool transposed : {false, true}) {
    bench.compare(transposed ? "solve L'X = B" : "solve L X = B", "trsm", "double", n, n, cube,
                  {[&] { x = b; },
                   [&] { (transposed ? solve_lower_transposed : solve_lower)(lower, n, x, n); }},
                  {[&] { y = b; },
                   [&] {
                     trsm(kByRows, kLeft, kLower, transposed ? kTransposed : kPlain, kNonUnit, n, n,
                          1, lower.data(), n, y.data(), n);
                   }},
                  [&] { return largest_gap(x, y); });
  }
}

void rows_added(const Library& library, const Bench& bench, Index n, Index d) {
  auto* const tpqrt = library.lapack<Tpqrt>("dtpqrt");
  auto* const geqrf = library.lapack<Geqrf>("dgeqrf");
  const Doubles rows = some(n * d, 1);
  Doubles start(usize(d * d)), first = some(2 * d * d, 2);
  add_rows(start, d, first, 2 * d);
  const Doubles rows_t = turned(rows, n, d), start_t = turned(start, d, d);
  Doubles r, x, s, y;
  Index count = n, size = d, zero = 0, info = 0, block = std::min<Index>(32, d);
  Doubles t(usize(block * d)), work(usize(64 * d)), tau(usize(d));
  const Side craton{[&] { r = start, x = rows; }, [&] { add_rows(r, d, x, n); }};
  const double operations = 2 * static_cast<double>(n * d * d);
  bench.compare("rows added to R", "tpqrt", "double", n, d, operations, craton,
                {[&] { s = start_t, y = rows_t; },
                 [&] {
                   tpqrt(&count, &size, &zero, &block, s.data(), &size, y.data(), &count, t.data(),
                         &block, work.data(), &info);
                 }},
                [&] { return triangle_gap(r, s, d, d); });
  Doubles stack(usize((n + d) * d));
  Index both = n + d, room = 64 * d;
  for (Index j = 0; j < d; ++j) {
    double* const column = stack.data() + j * both;
    std::copy_n(start_t.begin() + j * d, d, column);
    std::copy_n(rows_t.begin() + j * n, n, column + d);
  }
  bench.compare(
      "rows added to R", "geqrf of both", "double", n, d, operations, craton,
      {[&] { y = stack; },
       [&] { geqrf(&both, &size, y.data(), &both, tau.data(), work.data(), &room, &info); }},
      [&] { return triangle_gap(r, y, d, both); });
}

void factors_merged(const Library& library, const Bench& bench, Index d) {
  auto* const tpqrt = library.lapack<Tpqrt>("dtpqrt");
  Doubles one(usize(d * d)), two(usize(d * d)), first = some(2 * d * d, 1),
                                                second = some(2 * d * d, 2);
  add_rows(one, d, first, 2 * d);
  add_rows(two, d, second, 2 * d);
  const Doubles one_t = turned(one, d, d), two_t = turned(two, d, d);
  Doubles r, s, y;
  Index size = d, info = 0, block = 32;
  Doubles t(usize(block * d)), work(usize(block * d));
  bench.compare("two R merged", "tpqrt", "double", d, d, 2.0 / 3 * static_cast<double>(d * d * d),
                {[&] { r = one; }, [&] { merge_triangles(r, two, d); }},
                {[&] { s = one_t, y = two_t; },
                 [&] {
                   tpqrt(&size, &size, &size, &block, s.data(), &size, y.data(), &size, t.data(),
                         &block, work.data(), &info);
                 }},
                [&] { return triangle_gap(r, s, d, d); });
}

void columns_pivoted(const Library& library, const Bench& bench, Index d) {
  auto* const geqp3 = library.lapack<Geqp3>("dgeqp3");
  const Doubles a = some(d * d, 1), a_t = turned(a, d, d);
  PivotedQr qr;
  Doubles y, tau(usize(d)), work(usize(130 * d));
  std::vector<Index> pivots(usize(d));
  Index size = d, info = 0, room = std::ssize(work);
  bench.compare("pivoted QR", "geqp3", "double", d, d, 4.0 / 3 * static_cast<double>(d * d * d),
                {[] {}, [&] { qr = pivoted_qr(a, d, d); }},
                {[&] { y = a_t, std::fill(pivots.begin(), pivots.end(), Index{0}); },
                 [&] {
                   geqp3(&size, &size, y.data(), &size, pivots.data(), tau.data(), work.data(),
                         &room, &info);
                 }},
                [&] { return triangle_gap(qr.r, y, d, d); });
}

void eigenvectors(const Library& library, const Bench& bench, Index d) {
  auto* const syevd = library.lapack<Syevd>("dsyevd");
  const Doubles numbers = some(d * d, 1);
  Doubles a(usize(d * d)), y, values(usize(d)), product(usize(d * d));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) {
      a[usize(i * d + j)] = a[usize(j * d + i)] = numbers[usize(i * d + j)];
    }
  }
  SymmetricEigen e;
  Index size = d, info = 0, room = 1 + 6 * d + 2 * d * d, integers = 3 + 5 * d;
  Doubles work(usize(room));
  std::vector<Index> more(usize(integers));
  bench.compare("eigenvectors", "syevd", "double", d, d, 9 * static_cast<double>(d * d * d),
                {[] {}, [&] { e = eigen_symmetric(a, d); }},
                {[&] { y = a; },
                 [&] {
                   syevd("V", "L", &size, y.data(), &size, values.data(), work.data(), &room,
                         more.data(), &integers, &info);
                 }},
                [&] {  // the values of both, and A Z = Z diag(values)
                  multiply(Product<double>{.a = by_rows<double>(a.data(), d),
                                           .b = transposed<double>(e.vectors.data(), d),
                                           .rows = d,
                                           .columns = d,
                                           .depth = d},
                           product.data(), d);
                  double off = 0;
                  for (Index i = 0; i < d; ++i) {
                    for (Index j = 0; j < d; ++j) {
                      off =
                          std::max(off, std::abs(product[usize(i * d + j)] -
                                                 e.values[usize(j)] * e.vectors[usize(i * d + j)]));
                    }
                  }
                  return std::max(largest_gap(e.values, values), off / std::abs(values[0]));
                });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    return fmt::print(stderr, "bench_products LIBRARY ROUNDS SECONDS LARGEST [TASK]\n"), 1;
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);  // before it is loaded
  const Library library(argv[1]);
  const Bench bench(std::atoi(argv[2]), std::atof(argv[3]), argc > 5 ? argv[5] : "");
  const Index largest = std::atoll(argv[4]);
  for (const Index n : {64, 100, 128, 200, 256, 512, 1000, 1024, 2048}) {
    if (n > largest) continue;
    products<float>(library, bench, n, "float", "s");
    products<double>(library, bench, n, "double", "d");
  }
  for (const Index n : {500, 1000, 2000, 4000}) {
    if (n <= largest) triangles(library, bench, n);
  }
  for (const Index d : {10, 30, 100, 300, 1000}) {
    for (const Index n : {256, 4096}) {
      if (d <= largest) rows_added(library, bench, n, d);
    }
  }
  for (const Index d : {100, 500, 1000, 2000}) {
    if (d <= largest) factors_merged(library, bench, d);
  }
  for (const Index d : {500, 1000, 2000, 4000}) {
    if (d <= largest) columns_pivoted(library, bench, d);
  }
  for (const Index d : {500, 1000, 2000, 4000}) {
    if (d <= largest) eigenvectors(library, bench, d);
  }
}
