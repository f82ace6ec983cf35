#include "craton/io/formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "craton/base/error.h"
#include "craton/io/csv.h"
#include "craton/io/csv_write.h"
#include "craton/io/documents.h"
#include "craton/io/idx.h"
#include "craton/io/json_lines.h"
#include "craton/io/libsvm.h"
#include "craton/io/lines.h"
#include "craton/io/matrix_market.h"
#include "craton/io/npy.h"
#include "craton/io/npy_source.h"
#include "craton/io/npz.h"
#include "craton/io/number.h"

namespace craton {
namespace {

constexpr Index kMostBytes = Index{1} << 40;  // a terabyte: beyond any memory

// Files that people do hand to us, and what to do with them.
struct OtherFormat {
  std::string_view start, what, fix;
};
constexpr std::array kOtherFormats{
    OtherFormat{"BZh", "bzip2-compressed", "Unpack it: bunzip2."},
    OtherFormat{"\xfd"
                "7zXZ",
                "xz-compressed", "Unpack it: unxz."},
    OtherFormat{"PK\x03\x04", "a zip archive (.xlsx and .npz are such)",
                "Save a spreadsheet as CSV, or arrays with numpy.savez as .npz."},
    OtherFormat{"PAR1", "a Parquet file", "Save it as CSV, or as .npy."},
    OtherFormat{"\x89"
                "CRT",
                "a craton model file", "Give the data that the model is for."},
    OtherFormat{"\x89HDF", "an HDF5 file", "Save the table as CSV, or as .npy."},
};

bool is_binary(std::string_view start) {
  return std::any_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
}

void refuse_others(const std::string& path, std::string_view front) {
  for (const OtherFormat& format : kOtherFormats) {
    if (!front.starts_with(format.start) || !is_binary(front.substr(0, 64))) continue;
    throw InputError(Code::kBadFile, {.file = path == "-" ? "stdin" : path},
                     fmt::format("this is {}", format.what), std::string(format.fix));
  }
}

bool is_npy(std::string_view front) { return front.starts_with("\x93NUMPY"); }

bool is_npz(std::string_view front) {
  return front.starts_with("PK\x03\x04") && front.find(".npy") != front.npos;
}

bool is_idx(std::string_view front) {
  constexpr std::string_view kTypes = "\x08\x09\x0b\x0c\x0d\x0e";
  return front.size() > 4 && front[0] == 0 && front[1] == 0 &&
         kTypes.find(front[2]) != kTypes.npos && front[3] > 0 && front[3] < 16;
}

bool is_matrix_market(std::string_view front) { return front.starts_with("%%MatrixMarket"); }

bool is_json_lines(std::string_view front) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto skip = [&] {
    front.remove_prefix(std::min(front.find_first_not_of(kBlank), front.size()));
  };
  skip();
  if (!front.starts_with('{')) return false;
  front.remove_prefix(1);
  skip();
  return front.starts_with('"') || front.starts_with('}');
}

// "index:value" with a number on either side.
bool is_entry(std::string_view word) {
  const std::size_t colon = word.find(':');
  Index index = 0;
  double value = 0;
  if (colon == word.npos) return false;
  const std::string_view name = word.substr(0, colon);
  return (name == "qid" || parse_whole(name, index)) && parse_number(word.substr(colon + 1), value);
}

// The first row has a label and then entries only; its end may lie beyond the bytes at hand.
bool is_libsvm(std::string_view front) {
  while (!front.empty()) {
    const std::size_t end = front.find('\n');
    std::string_view line = front.substr(0, end);
    front.remove_prefix(end == front.npos ? front.size() : end + 1);
    const bool whole = end != std::string_view::npos && line.find('#') == line.npos;
    line = line.substr(0, line.find('#'));
    std::string_view word = next_word(line);
    if (word.empty()) continue;
    double label = 0;
    if (word.size() > 1 && word[0] == '+') word.remove_prefix(1);
    if (!parse_number(word, label)) return false;
    int entries = 0;
    while (!(word = next_word(line)).empty()) {
      const bool cut = !whole && line.empty();
      if (!is_entry(word) && !cut) return false;
      ++entries;
    }
    return entries > 0;
  }
  return false;
}

OpenedTable open_csv(OpenFile& file) {
  const bool twice = file.path != "-" && std::filesystem::is_regular_file(file.path);
  ReadTwice once(file.options.temporary_folder);
  const auto open = [&](int time) {
    if (time == 0) return twice ? std::move(file.input) : once.first(std::move(file.input));
    return twice ? decoded(open_input(file.path), file.options.encoding) : once.second();
  };
  return read_csv(open, file.options, file.exec);
}

OpenedTable open_npy(OpenFile& file) {
  if (file.input->size() >= 0) {  // a plain file
    auto source = std::make_unique<NpySource>(file.path, file.options.memory);
    if (!source->layout().fortran_order || source->shape().cols == 1) {
      return opened("NPY", std::move(source));
    }
  }
  return opened("NPY", parse_npy(read_rest(*file.input, kMostBytes), file.input->name()));
}

OpenedTable open_npz(OpenFile& file) { return opened("NPZ", parse_npz(*file.input, file.array)); }
OpenedTable open_libsvm(OpenFile& file) { return opened("LIBSVM", parse_libsvm(*file.input)); }
OpenedTable open_idx(OpenFile& file) { return opened("IDX", parse_idx(*file.input)); }
OpenedTable open_matrix_market(OpenFile& file) {
  return opened("Matrix Market", parse_matrix_market(*file.input));
}
OpenedTable open_json_lines(OpenFile& file) {
  return opened("JSON lines", parse_json_lines(*file.input, file.options));
}
OpenedTable open_lines(OpenFile& file) { return read_document_lines(*file.input, file.options); }

template <char delimiter>
void write_separated(Source& source, Sink sink) {
  write_csv(source, delimiter, sink);
}

constexpr std::array kFormats{
    Format{"csv", ".csv .txt .data", Tell::kName, nullptr, open_csv, write_separated<','>, true,
           true},
    Format{"tsv", ".tsv .tab", Tell::kName, nullptr, open_csv, write_separated<'\t'>, true, true},
    Format{"npy", ".npy", Tell::kMagic, is_npy, open_npy, write_npy, false, false},
    Format{"npz", ".npz", Tell::kMagic, is_npz, open_npz, nullptr, false, false},
    Format{"libsvm", ".libsvm .svm .svmlight", Tell::kLook, is_libsvm, open_libsvm, write_libsvm,
           false, false},
    Format{"idx", ".idx -ubyte", Tell::kMagic, is_idx, open_idx, write_idx, false, false},
    Format{"mtx", ".mtx", Tell::kMagic, is_matrix_market, open_matrix_market, write_matrix_market,
           false, false},
    Format{"jsonl", ".jsonl .ndjson", Tell::kLook, is_json_lines, open_json_lines, write_json_lines,
           true, true},
    Format{"lines", "", Tell::kName, nullptr, open_lines, nullptr, true, false},
};

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

const Format* format_by_name(const std::string& path) {
  const std::string name = lower_case(path);
  for (const Format& format : kFormats) {
    std::string_view rest = format.extensions;
    for (std::string_view word; !(word = next_word(rest)).empty();) {
      if (name.ends_with(word)) return &format;
    }
  }
  return nullptr;
}

const Format* format_by_front(std::string_view front, Tell tell) {
  const auto at = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) {
    return format.tell == tell && format.matches != nullptr && format.matches(front);
  });
  return at == kFormats.end() ? nullptr : &*at;
}

std::string names_of_formats() {
  std::string names;
  for (const Format& format : kFormats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format& find_format(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no format '{}'", name),
                   near.empty() ? fmt::format("The formats are: {}.", names_of_formats()) : near);
}

const Format& format_of(const std::string& path, std::span<const std::byte> front) {
  const std::string_view bytes(reinterpret_cast<const char*>(front.data()), front.size());
  if (const Format* format = format_by_front(bytes, Tell::kMagic)) return *format;
  refuse_others(path, bytes);
  std::string name = path;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (lower_case(name).ends_with(packed)) name.resize(name.size() - packed.size());
  }
  if (const Format* format = format_by_name(name)) {
    // .txt and .data may hold anything: there the looks are asked first.
    const Format* looks = format_by_front(bytes, Tell::kLook);
    const bool vague = format->name == "csv" && !lower_case(name).ends_with(".csv");
    return vague && looks != nullptr ? *looks : *format;
  }
  if (const Format* format = format_by_front(bytes, Tell::kLook)) return *format;
  return kFormats.front();
}

const Format& format_to_write(const std::string& path) {
  const Format* format = format_by_name(path);
  if (format != nullptr && format->write != nullptr) return *format;
  Message fix{"End its name in .csv, .tsv, .npy, .libsvm, .idx, .mtx or .jsonl, or give {}.",
              Ref::flag("to")};
  if (lower_case(path).ends_with(".gz") || lower_case(path).ends_with(".zst")) {
    fix = {"Write to '-' with {}, and pipe it into gzip or zstd.", Ref::flag("to")};
  }
  throw InputError(Code::kBadOption, {.file = path},
                   format != nullptr
                       ? fmt::format("files of the format {} are not written", format->name)
                       : "the name does not say which format to write",
                   fix);
}

}  // namespace craton
