#include "tests/model_file/mutate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "craton/base/error.h"
#include "craton/model/model_metadata.h"

namespace craton::model_file {
namespace {

template <class T>
auto& any_of(std::vector<T>& items, Random& random) {
  return items[usize(random.below(std::ssize(items)))];
}

double odd_number(Random& random) {
  const std::vector<double> odd{
      NAN,    INFINITY, -INFINITY, 0.0,     -0.0,  -1.0,   5e-324,  1e-310, 1e-308,
      1e-160, 1e-20,    1e-12,     -1e-12,  1e-5,  0.5,    1.0,     2.0,    3.0,
      1e3,    1e6,      1e10,      1e14,    1e16,  0x1p53, 0x1p62,  -1e14,  1e20,
      1e30,   1e100,    -1e100,    1.3e154, 1e200, 1e300,  1.7e308, -1e308, 1.0000000001};
  const Index kind = random.below(8);
  if (kind < 5) return odd[usize(random.below(std::ssize(odd)))];
  if (kind == 5) return static_cast<double>(random.below(40)) - 4;
  if (kind == 6) return std::exp2(static_cast<double>(random.below(2000)) - 1000);
  const auto high = static_cast<std::uint64_t>(random.below(Index{1} << 32));
  return std::bit_cast<double>(high << 32 | static_cast<std::uint64_t>(random.below(1 << 20)));
}

std::string odd_text(Random& random) {
  const std::vector<std::string> odd{"",
                                     "metadata",
                                     "inf",
                                     "nan",
                                     "Größe",
                                     "名前",
                                     "\x1b[2J",
                                     "a\nb",
                                     std::string(1, '\0'),
                                     "..",
                                     "9.9.9",
                                     "0.0.0",
                                     std::string(100000, 'x'),
                                     "kmeans",
                                     "gmm",
                                     "full",
                                     "diag",
                                     "category"};
  return odd[usize(random.below(std::ssize(odd)))];
}

Json odd_json(Random& random) {
  switch (random.below(12)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return random.below(10) - 5;
    case 3:
      return std::numeric_limits<Index>::max();
    case 4:
      return std::numeric_limits<Index>::min();
    case 5: {
      const double number = odd_number(random);
      if (std::isfinite(number)) return number;
      return Json::object({{"number", number > 0 ? "inf" : "nan"}});
    }
    case 6:
      return odd_text(random);
    case 7:
      return Json(Json::List());
    case 8:
      return Json::object({});
    case 9:
      return Json::object({{"shape", Json(Json::List{Index{1} << 40, Index{1} << 40})},
                           {"values", Json(Json::List())}});
    case 10:
      return Json::object({{"number", odd_text(random)}});
    default: {
      Json nested = 1;
      for (Index depth = random.below(30); depth > 0; --depth) nested = Json(Json::List{nested});
      return nested;
    }
  }
}

// Every value of a tree, the root included.
void collect(Json& json, std::vector<Json*>& nodes) {
  nodes.push_back(&json);
  if (auto* list = std::get_if<Json::List>(&json.value)) {
    for (Json& item : *list) collect(item, nodes);
  }
  if (auto* object = std::get_if<Json::Object>(&json.value)) {
    for (auto& member : *object) collect(member.second, nodes);
  }
}

void mutate_json(Json& root, Random& random) {
  std::vector<Json*> nodes;
  collect(root, nodes);
  if (random.below(2) == 0) {  // one number for another: form and types stay
    std::erase_if(nodes, [](const Json* node) {
      return !std::holds_alternative<double>(node->value) &&
             !std::holds_alternative<Index>(node->value);
    });
    if (nodes.empty()) return;
    Json& node = *any_of(nodes, random);
    const double number = odd_number(random);
    const bool whole = std::abs(number) < 0x1p62 && number == std::floor(number);
    if (std::isfinite(number)) node = whole ? Json(static_cast<Index>(number)) : Json(number);
    return;
  }
  Json& node = *any_of(nodes, random);
  auto* list = std::get_if<Json::List>(&node.value);
  auto* object = std::get_if<Json::Object>(&node.value);
  if (object != nullptr && !object->empty() && random.below(3) > 0) {
    auto& member = any_of(*object, random);
    switch (random.below(5)) {
      case 0:
        object->erase(object->begin() + (&member - object->data()));
        return;
      case 1:
        object->push_back(member);
        return;
      case 2:
        member.first = odd_text(random);
        return;
      case 3:
        std::swap(member, object->front());
        return;
      default:
        member.second = odd_json(random);
        return;
    }
  }
  if (list != nullptr && !list->empty() && random.below(3) > 0) {
    if (random.below(2) == 0) {
      list->pop_back();
    } else {
      list->push_back(any_of(*list, random));
    }
    return;
  }
  node = odd_json(random);
}

// The text itself: cut, overwritten, nested beyond measure.
void mutate_text(std::string& text, Random& random) {
  const auto at = usize(random.below(std::ssize(text)));
  switch (random.below(6)) {
    case 0:
      text.resize(at);
      return;
    case 1:
      text[at] = static_cast<char>(random.below(256));
      return;
    case 2:
      text.insert(at, std::string(usize(random.below(20000)), '['));
      return;
    case 3:
      text.insert(at, random.below(2) == 0 ? "\xff\xc0\x80" : "1e999");
      return;
    case 4:
      text = std::string(5000, '[') + std::string(5000, ']');
      return;
    default:
      text += text;
  }
}

void mutate_values(Array& array, Random& random) {
  if (array.values.empty()) return;
  std::vector<double>& v = array.values;
  const Index d = array.shape.size() == 3 ? array.shape[2] : 0;
  switch (random.below(14)) {
    case 8:
    case 9:
    case 10:
    case 0:
      any_of(v, random) = odd_number(random);
      return;
    case 11:
      any_of(v, random) += random.below(2) == 0 ? 1 : -1;
      return;
    case 12: {  // many by the same factor: what belongs together may stay so
      const double factor = std::abs(odd_number(random));
      const std::size_t from = usize(random.below(std::ssize(v)));
      const std::size_t step = usize(1 + random.below(4));
      for (std::size_t i = from; i < v.size(); i += step) v[i] *= factor;
      return;
    }
    case 1:
      for (double& x : v) x = odd_number(random);
      return;
    case 2:
      any_of(v, random) *= -1;
      return;
    case 3: {
      const double factor = std::abs(odd_number(random));
      for (double& x : v) x *= factor;
      return;
    }
    case 4:
      std::fill(v.begin(), v.end(), odd_number(random));
      return;
    case 5:
      any_of(v, random) *= 1 + 1e-15 * static_cast<double>(random.below(100));
      return;
    case 6:
      std::swap(any_of(v, random), any_of(v, random));
      return;
    default: {
      if (d == 0) return;
      const Index c = random.below(array.shape[0]), i = random.below(d), j = random.below(d);
      const double value = odd_number(random);  // symmetric, definite or not
      if (c * d * d + std::max(i, j) * d + d > std::ssize(v)) return;
      v[usize((c * d + i) * d + j)] = value;
      v[usize((c * d + j) * d + i)] = value;
    }
  }
}

void mutate_parameter(Parameter& p, Random& random) {
  if (!p.text) return mutate_values(p.value, random);
  if (random.below(2) == 0 || p.text->empty()) {
    p.text = odd_text(random);
  } else {
    mutate_text(*p.text, random);
  }
}

// Shapes that fit the values and shapes that do not, and whole rows taken away.
void mutate_shape(RawSection& section, Random& random) {
  auto& shape = section.shape;
  const std::vector<std::uint64_t> odd{0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       1 << 20,
                                       std::uint64_t{1} << 32,
                                       std::uint64_t{1} << 59,
                                       std::uint64_t{1} << 61,
                                       ~std::uint64_t{0}};
  switch (random.below(6)) {
    case 0:
      if (!shape.empty()) any_of(shape, random) = odd[usize(random.below(std::ssize(odd)))];
      return;
    case 1:
      std::reverse(shape.begin(), shape.end());
      return;
    case 2:
      shape = {section.bytes.size() / 8};
      return;
    case 3:
      shape.resize(usize(random.below(9)), 1);
      return;
    case 4: {  // the first row goes, consistently
      if (shape.empty() || shape[0] == 0) return;
      section.bytes.resize(section.bytes.size() / shape[0] * (shape[0] - 1));
      --shape[0];
      return;
    }
    default:
      section.bytes.resize(usize(random.below(4096)));
  }
}

void mutate_sections(RawFile& file, Random& random) {
  RawSection& section = any_of(file, random);
  switch (random.below(7)) {
    case 0:
      file.push_back(RawSection(section));
      return;
    case 1:
      file.erase(file.begin() + (&section - file.data()));
      return;
    case 2:
      std::swap(section, any_of(file, random));
      return;
    case 3:
      section.name = odd_text(random);
      return;
    case 4:
      section.type = static_cast<std::uint32_t>(random.below(9));
      return;
    case 5:
      file.push_back({"extra", 2, {2}, Bytes(16)});
      return;
    default:
      for (Index i = random.below(300); i > 0; --i) {
        file.push_back({"extra" + std::to_string(i), 2, {0}, {}});
      }
  }
}

// One word of head or table, with the sections left as they are.
void mutate_table(Bytes& bytes, Random& random) {
  const Index count = static_cast<Index>(bytes[12]);
  const std::size_t at = 4 * usize(random.below((32 + 160 * count) / 4));
  const std::vector<std::uint32_t> odd{0, 1, 2, 3, 64, 0x7fffffff, 0x80000000, 0xffffffff};
  std::uint32_t word = odd[usize(random.below(std::ssize(odd)))];
  if (random.below(3) == 0) {
    std::memcpy(&word, &bytes[at], 4);
    word += static_cast<std::uint32_t>(random.below(129)) - 64;
  }
  std::memcpy(&bytes[at], &word, 4);
  rehash(bytes);
}

// All that is remembered, by one factor: sums of rows whose weights nobody would expect.
void mutate_memory(Contents& archive, Random& random) {
  const double factor = random.below(4) == 0 ? 0 : std::abs(odd_number(random));
  for (Parameter& p : archive.arrays) {
    if (!p.name.starts_with("memory.")) continue;
    for (double& x : p.value.values) x *= factor;
  }
}

void correct_digest(Contents& archive) {
  try {
    ModelMetadata metadata = read_metadata(archive.metadata, "mutant");
    Fitted fitted{metadata.info->from_parameters(archive.arrays), {}, metadata.options, {}};
    for (auto& [name, member] : std::get<Json::Object>(archive.metadata.value)) {
      if (name == "digest") member = digest(fitted);
    }
  } catch (const InputError&) {  // no model: any digest is as wrong
  }
}

}  // namespace

Bytes mutant(const Contents& sound, Random& random) {
  Contents archive = sound;
  const Index kind = random.below(20);
  for (Index times = 1 + random.below(3); times > 0; --times) {
    if (kind < 4) mutate_json(archive.metadata, random);
    if (kind >= 3 && kind < 16) mutate_parameter(any_of(archive.arrays, random), random);
  }
  if (kind == 16) mutate_memory(archive, random);
  correct_digest(archive);
  RawFile file = raw_file(archive);
  if (kind == 17) mutate_shape(file[1 + usize(random.below(std::ssize(archive.arrays)))], random);
  if (kind == 18) mutate_sections(file, random);
  if (kind == 19 && random.below(2) == 0) {
    std::string text = write_json(archive.metadata);
    mutate_text(text, random);
    file[0] = raw_metadata(text);
    return pack_raw(file);
  }
  Bytes bytes = pack_raw(file);
  if (kind == 19) mutate_table(bytes, random);
  return bytes;
}

}  // namespace craton::model_file
