// What bench/io/run.py runs beside the rivals:
//
//   bench_io craton FILE THREADS   open_table, rows in memory
//   bench_io spool FILE THREADS    the same, every row in the spool
//   bench_io loop FILE THREADS     how fast can one core turn these bytes into doubles at all:
//                                  fast_float over the fields of the file in memory, no quotes, no
//                                  missing values, no checks. Reading the file is not in the time.
//
// Prints wall and CPU seconds, the sum of the values and the peak memory as JSON.
#include <fast_float/fast_float.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "craton/base/files.h"
#include "craton/engine/for_each.h"
#include "craton/io/open.h"

namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Not ru_maxrss, which begins with the size of the process that started this one.
long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long peak = 0;
    if (word == "VmHWM:" && status >> peak) return peak;
  }
  return -1;
}

struct Watch {
  Clock::time_point start = Clock::now();
  double cpu = cpu_seconds();

  void print(double wall_end, double cpu_end, double sum) const {
    fmt::print("{{\"wall\": {}, \"cpu\": {}, \"sum\": {}, \"peak\": {}}}\n", wall_end,
               cpu_end - cpu, sum, peak_kilobytes());
  }
  double wall() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
};

void loop(const char* path) {
  const craton::Bytes bytes = craton::read_file(path);
  const auto* at = reinterpret_cast<const char*>(bytes.data());
  const char* const end = at + bytes.size();
  const Watch watch;
  while (at != end && *at++ != '\n') continue;  // the header
  std::vector<double> values(1 << 16);          // stays in the cache
  double sum = 0;
  while (at != end) {
    std::size_t count = 0;
    for (; count < values.size() && at != end; ++count) {
      const auto result = fast_float::from_chars(at, end, values[count]);
      at = result.ptr + (result.ptr == end ? 0 : 1);
    }
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
  }
  watch.print(watch.wall(), cpu_seconds(), sum);
}

void read(const char* path, int threads, craton::Index memory) {
  const Watch watch;
  craton::ReadOptions options;
  options.memory = memory;
  const craton::OpenedTable table = craton::open_table(path, options, {.threads = threads});
  const double wall = watch.wall(), cpu = cpu_seconds();
  double sum = 0;
  craton::for_rows(*table.source, {.threads = 1}, [&](const craton::Chunk& chunk) {
    const auto& x = std::get<craton::Dense<double>>(chunk.x);
    for (craton::Index i = 0; i < x.rows * x.cols; ++i) sum += x.data[i];
  });
  watch.print(wall, cpu, sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: bench_io craton|spool|loop FILE THREADS\n");
    return 1;
  }
  const std::string_view who = argv[1];
  const int threads = std::atoi(argv[3]);
  if (who == "loop") {
    loop(argv[2]);
  } else {
    read(argv[2], threads, who == "spool" ? 0 : craton::Index{1} << 40);
  }
  return 0;
}
