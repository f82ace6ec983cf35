#include "craton/base/message.h"

#include <doctest/doctest.h>

#include "craton/base/bytes.h"
#include "craton/base/error.h"

namespace craton {
namespace {

// A surface of its own: whatever is referred to is in angle brackets.
class Angles final : public Wording {
 public:
  std::string of(const Ref& ref) const override { return "<" + ref.name + "|" + ref.value + ">"; }
};

std::string in_angles(const Message& message) { return message.in(Angles()); }

}  // namespace

TEST_CASE("the library calls options by their fields and the rest as the shell does") {
  const auto plain = [](const Ref& ref) { return Message(ref).plain(); };
  CHECK(plain(Ref::option("n_init")) == "n_init");
  CHECK(plain(Ref::option("n_init", 10)) == "n_init = 10");
  CHECK(plain(Ref::option("tol", 0.5)) == "tol = 0.5");
  CHECK(plain(Ref::flag("max-iter")) == "--max-iter");
  CHECK(plain(Ref::flag("split", "plain")) == "--split plain");
  CHECK(plain(Ref::verb("describe")) == "'craton describe'");
  CHECK(plain(Ref::column("waiting")) == "column 'waiting'");
  CHECK(plain(Ref::column("waiting time", "wait...")) == "column 'wait...'");
  CHECK(plain(Ref::text_column("name", "name")) == "text column 'name'");
  CHECK(plain(Ref::either("here", "there")) == "here");
}

TEST_CASE("a surface writes references, and words stay") {
  const Message message{"{}, but there are {} rows of {}", Ref::option("k", 3), 2, "n_init = 1"};
  CHECK(in_angles(message) == "<k|3>, but there are 2 rows of n_init = 1");
  CHECK(message.plain() == "k = 3, but there are 2 rows of n_init = 1");
}

TEST_CASE("a message in a message keeps its references") {
  const Message inner{"give {}", Ref::option("a")};
  const Message outer{"fold {}: {}, or {}", 1, inner, Message("{}", inner)};
  CHECK(in_angles(outer) == "fold 1: give <a|>, or give <a|>");
}

TEST_CASE("braces and control characters of users are text") {
  const std::string name = "{} \x01n_init\x02 {0}";
  CHECK(Message(name).plain() == name);
  CHECK(Message("{} and {}", name, Ref::column(name)).plain() ==
        name + " and column '" + name + "'");
  const InputError error(Code::kNotFinite, {.column = name}, {"{}{}", name, Ref::option("a")},
                         {"{}", Ref::flag("b", name)});
  const std::string spelt = "{} \\x01n_init\\x02 {0}";
  CHECK(error.what() == "column '" + spelt + "': " + spelt + "a\n  --b " + spelt);
}

TEST_CASE("an empty message says nothing") {
  CHECK(Message().empty());
  CHECK(Message("").empty());
  CHECK(Message("{}", "").empty());
  CHECK(!Message(Ref::option("a")).empty());
}

TEST_CASE("a message knows the columns it speaks of") {
  const Message message{"the {} and the {} of {}", Ref::column("a"), Ref::text_column("b", "b"),
                        Ref::option("c")};
  const std::vector<Ref> columns = message.columns();
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].name == "a");
  CHECK(columns[1].name == "b");
}

TEST_CASE("long text of a user is cut, and references stay whole") {
  const Message message{"{}{}", std::string(5000, 'x'), Ref::option("n_components", 12)};
  const std::string text = message.printable(100).plain();
  CHECK(text.size() < 200);
  CHECK(text.ends_with("xn_components = 12"));
}

TEST_CASE("a message sent to another rank refers to the same") {
  const Message sent{"a {} b {} c", Ref::option("n_init", 10), Ref::either("x", std::string())};
  Writer writer;
  sent.write(writer);
  Message{"{}", 5}.write(writer);
  Reader reader(writer.bytes());
  Message got{"{} that was there", 1}, next;
  got.read(reader);
  next.read(reader);
  CHECK(reader.done());
  CHECK(in_angles(got) == in_angles(sent));
  CHECK(next.plain() == "5");
}

TEST_CASE("an error repeated with more words keeps its references") {
  const InputError first(Code::kNoSpread, {.column = "x"}, {"{} is 0", Ref::option("a")},
                         {"Give {}.", Ref::flag("b")});
  const InputError second = InputError::repeated(first.code(), first.place(),
                                                 {"fold 1: {}", first.complaint()}, first.advice());
  CHECK(second.in(Angles()) == "fold 1: <x|>: <a|> is 0\n  Give <b|>.");
  CHECK(second.what() == std::string("fold 1: column 'x': a is 0\n  Give --b."));
}

}  // namespace craton
