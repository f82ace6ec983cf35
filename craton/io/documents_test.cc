#include "craton/io/documents.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "craton/base/error.h"
#include "craton/io/csv.h"

namespace craton {
namespace {

namespace fs = std::filesystem;

class DocumentFolder {
 public:
  DocumentFolder() : path_(fs::temp_directory_path() / "craton_documents_test") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~DocumentFolder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string text_at(Source& source, Index row) {
  return std::string(read_texts(source)[0].view()[row]);
}

TEST_CASE("a folder tree is a table") {
  const DocumentFolder folder;
  folder.write("spam/2", "buy now");
  folder.write("ham/10", "hello\nthere");
  folder.write("ham/9", "");
  folder.write(".hidden", "no");
  fs::create_directory_symlink(folder.path(), folder.path() + "/loop");
  for (const Index memory : {Index{1} << 20, Index{0}}) {
    ReadOptions options;
    options.memory = memory;
    const OpenedTable table = open_table(folder.path(), options, {.threads = 2});
    Source& source = *table.source;
    CHECK(source.in_memory() == (memory > 0));
    CHECK(source.schema().columns[0].levels == std::vector<std::string>{"ham", "spam"});
    CHECK(read_all(source).values == std::vector<double>{0, 0, 1});
    const std::vector<TextArray> texts = read_texts(source);
    CHECK(texts[0].view()[0] == "hello\nthere");
    CHECK(texts[0].view()[1].empty());
    CHECK(texts[0].view()[2] == "buy now");
    CHECK(table.notes.size() == 2);  // the hidden one, the link
  }
  ReadOptions strict;
  folder.write("spam/3", "caf\xe9");
  CHECK_THROWS_AS(open_table(folder.path(), strict, {}), InputError);
  strict.encoding.encoding = Encoding::kLatin1;
  const OpenedTable latin = open_table(folder.path(), strict, {});
  CHECK(text_at(*latin.source, 3) == "caf\xc3\xa9");
  folder.write("spam/4", std::string("a\0b", 3));
  CHECK_THROWS_AS(open_table(folder.path(), strict, {}), InputError);
}

TEST_CASE("a folder without folders has no labels") {
  const DocumentFolder folder;
  CHECK_THROWS_AS(open_table(folder.path(), {}, {}), InputError);
  folder.write("a", "one");
  folder.write("b", "two");
  const OpenedTable table = open_table(folder.path(), {}, {});
  CHECK(table.source->shape().cols == 0);
  CHECK(table.source->shape().rows == 2);
}

OpenedTable read_texts_of(const std::string& text, const ReadOptions& options) {
  const auto open = [&](int) {
    return memory_input(std::as_bytes(std::span(text.data(), text.size())), "a.csv");
  };
  return read_csv(open, options, {});
}

TEST_CASE("texts of a CSV file are kept where they are asked for") {
  const std::string text = "label,body\nham,\"hello, \"\"you\"\"\"\nspam,buy now\nham,\n";
  CHECK(read_texts_of(text, {}).source->schema().texts.empty());
  ReadOptions named;
  named.texts = {"body"};
  named.labels = "label";
  ReadOptions found;
  found.find_texts = true;
  found.labels = "label";
  for (const ReadOptions& options : {named, found}) {
    for (const Index memory : {Index{1} << 20, Index{0}}) {
      ReadOptions own = options;
      own.memory = memory;
      const OpenedTable table = read_texts_of(text, own);
      REQUIRE(table.source->schema().texts.size() == 1);
      CHECK(table.source->schema().texts[0].name == "body");
      const std::vector<TextArray> texts = read_texts(*table.source);
      CHECK(texts[0].view()[0] == "hello, \"you\"");
      CHECK(texts[0].view()[2].empty());
      CHECK(table.source->schema().size() == 1);
    }
  }
  // With numbers beside it nobody asked for the words.
  ReadOptions numbers;
  numbers.find_texts = true;
  CHECK(read_texts_of("x,body\n1,one\n2,two\n3,three\n", numbers).source->schema().texts.empty());
}

TEST_CASE("quotes that do not pair are letters") {
  const std::string text = "ham\tyes\nham\t\"hello\nspam\tbuy \"now\"\nham\t5\" wide\n";
  ReadOptions options;
  options.texts = {"2"};
  options.labels = "1";
  options.header = Header::kNo;
  options.delimiter = '\t';
  const OpenedTable table = read_texts_of(text, options);
  CHECK(text_at(*table.source, 1) == "\"hello");
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].code == "quotes-as-text");
  options.quotes = Quotes::kYes;
  CHECK_THROWS_AS(read_texts_of(text, options), InputError);
  options.quotes = Quotes::kNone;
  CHECK(read_texts_of(text, options).notes.empty());
}

TEST_CASE("lines are documents") {
  const std::string text = "one\n\nthree";
  const auto input = memory_input(std::as_bytes(std::span(text.data(), text.size())), "a.txt");
  const OpenedTable table = read_document_lines(*input, {});
  CHECK(table.source->shape().rows == 3);
  CHECK(text_at(*table.source, 2) == "three");
}

TEST_CASE("bytes that are no UTF-8 are replaced as Unicode recommends") {
  const TextEncoding replace{Encoding::kUtf8, EncodingErrors::kReplace};
  const std::string mark = "\xef\xbf\xbd";
  // The example of Unicode 15, table 3-8, and truncated characters.
  CHECK(decoded("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", replace, "") ==
        mark + mark + mark + mark + mark + mark + mark + mark + "A");
  CHECK(decoded("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", replace, "") ==
        mark + mark + mark + mark + "A");
  CHECK(decoded("a\xe2\x82", replace, "") == "a" + mark);
  // In a stream, wherever it is cut.
  const std::string text = "x\xe2\x82\xac\xf0\x9f\x98\x80\xffy\xe2";
  auto input =
      decoded(memory_input(std::as_bytes(std::span(text.data(), text.size())), ""), replace);
  std::string all;
  for (std::byte b; input->read({&b, 1}) > 0;) all += static_cast<char>(b);
  CHECK(all == "x\xe2\x82\xac\xf0\x9f\x98\x80" + mark + "y" + mark);
}

}  // namespace
}  // namespace craton
