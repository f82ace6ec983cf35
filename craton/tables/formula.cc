#include "craton/tables/formula.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr std::size_t kMostTermsMade = std::size_t{1} << 16;
constexpr int kDeepest = 32;  // brackets within brackets

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Letters of UTF-8, as people count.
std::size_t characters(std::string_view text) {
  return usize(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The text of an option, read from the left.
class OptionText {
 public:
  OptionText(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  std::size_t at() const { return at_; }
  bool ends() { return skip_spaces() == text_.size(); }
  char next() { return ends() ? '\0' : text_[at_]; }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  // A hyphen by itself: spaces, or the ends of the text, on both sides.
  bool accept_minus() {
    if (!is_minus(skip_spaces())) return false;
    ++at_;
    return true;
  }
  // A name up to one of these letters, or in quotes; empty: there is none.
  std::string name(std::string_view ends_at) {
    const char quote = next();
    if (is_quote(quote)) {
      const std::size_t first = at_, last = text_.find(quote, first + 1);
      if (last == text_.npos) fail(first, fmt::format("the quote {} is not closed", quote));
      at_ = last + 1;
      return std::string(text_.substr(first + 1, last - first - 1));
    }
    const std::size_t first = at_;
    while (at_ < text_.size() && ends_at.find(text_[at_]) == ends_at.npos && !is_minus(at_)) ++at_;
    return std::string(trimmed(text_.substr(first, at_ - first)));
  }
  std::optional<Index> whole_number() {
    skip_spaces();
    Index value = 0;
    const char *first = text_.data() + at_, *last = text_.data() + text_.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc()) return std::nullopt;
    at_ += usize(end - first);
    return value;
  }

  [[noreturn]] void fail(std::size_t at, const Message& what, const Message& fix = {},
                         Code code = Code::kBadOption) const {
    throw InputError(code, {},
                     {"{}: {}, at character {} of '{}'", Ref::option(option_), what,
                      characters(text_.substr(0, at)) + 1, text_},
                     fix.empty() ? Message("Give terms such as age, age^2, sex:age.") : fix);
  }
  Index column(const std::string& name, std::size_t at, const Schema& schema) const {
    const Index found = schema.find(name);
    if (found >= 0) return found;
    const std::vector<std::string> names = schema.names();
    const std::string near = did_you_mean(name, names);
    Message fix{"{}{}The columns are: {}.", near, near.empty() ? "" : " ", listed(names, 100)};
    if (near.empty() && (name == "1" || name == "0")) {
      fix = "Whether there is an intercept is an option of the model, not a term.";
    } else if (name.find('~') != name.npos) {
      fix = {"Give what stands on the right of '~'; {} names what is learned.",
             Ref::either("--target", "y")};
    }
    fail(at, {"there is no {}", Ref::column(name)}, fix, Code::kUnknownName);
  }

 private:
  std::size_t skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_;
  }
  bool is_minus(std::size_t at) const {
    return at < text_.size() && text_[at] == '-' && (at == 0 || is_space(text_[at - 1])) &&
           (at + 1 == text_.size() || is_space(text_[at + 1]));
  }

  std::string_view option_, text_;
  std::size_t at_ = 0;
};

// The same product, however it is written.
ColumnProduct key_of(ColumnProduct product) {
  std::sort(product.begin(), product.end());
  return product;
}

// Terms without repeats, in the order they came.
class TermSet {
 public:
  const std::vector<ColumnProduct>& all() const { return terms_; }
  bool add(const ColumnProduct& term) {
    const bool is_new = keys_.insert(key_of(term)).second;
    if (is_new) terms_.push_back(term);
    return is_new;
  }
  bool remove(const ColumnProduct& term) {
    const ColumnProduct key = key_of(term);
    if (keys_.erase(key) == 0) return false;
    std::erase_if(terms_, [&](const ColumnProduct& t) { return key_of(t) == key; });
    return true;
  }

 private:
  std::vector<ColumnProduct> terms_;
  std::set<ColumnProduct> keys_;
};

// Recursive descent: ^ binds closest, then :, then *, then commas, + and -.
class TermParser {
 public:
  TermParser(std::string_view text, const Schema& schema) : text_("terms", text), schema_(schema) {}

  std::vector<ColumnProduct> parse() {
    if (text_.ends()) text_.fail(0, "there is no term", "Give '.' for all columns.");
    const TermSet terms = sum();
    if (!text_.ends()) refuse_rest();
    if (terms.all().empty()) text_.fail(text_.at(), "no term is left");
    return terms.all();
  }

 private:
  static constexpr std::string_view kOperators = ",+*:^()";

  TermSet sum() {
    TermSet terms = product();
    for (;;) {
      if (text_.accept(',') || text_.accept('+')) {
        unite(terms, product());
      } else if (const std::size_t at = text_.at(); text_.accept_minus()) {
        const TermSet taken = product();
        bool any = false;
        for (const ColumnProduct& term : taken.all()) any = terms.remove(term) || any;
        if (!any) text_.fail(at, "what is to be left out is not there", "Leave out the '-' too.");
      } else {
        return terms;
      }
    }
  }

  TermSet product() {
    TermSet terms = interaction();
    while (text_.accept('*')) {
      const TermSet right = interaction();
      const TermSet both = multiplied(terms, right);
      unite(terms, right);
      unite(terms, both);
    }
    return terms;
  }

  TermSet interaction() {
    TermSet terms = power();
    while (text_.accept(':')) terms = multiplied(terms, power());
    return terms;
  }

  TermSet power() {
    TermSet terms;
    if (text_.next() == '(') {
      const std::size_t at = text_.at();
      text_.accept('(');
      if (++depth_ > kDeepest) text_.fail(at, "there are too many brackets");
      terms = sum();
      --depth_;
      if (!text_.accept(')')) text_.fail(at, "this bracket is not closed", "Close it with ')'.");
      return crossed(terms);
    }
    const bool quoted = is_quote(text_.next());
    const std::size_t at = text_.at();
    const std::string name = text_.name(kOperators);
    if (name.empty() && !quoted) {
      text_.fail(at, text_.ends()
                         ? Message("a term is missing")
                         : Message("a term is missing before '{}'", std::string(1, text_.next())));
    }
    if (name == "." && !quoted) {
      for (Index j = 0; j < schema_.size(); ++j) add(terms, {{j, 1}});
      return crossed(terms);
    }
    if (text_.next() == '(') refuse_rest();
    const Index column = text_.column(name, at, schema_);
    add(terms, {{column, exponent(column, at)}});
    return terms;
  }

  // Of one column.
  Index exponent(Index column, std::size_t at) {
    if (!text_.accept('^')) return 1;
    const Index power = exponent_number();
    if (power > 1 && is_category(column)) {
      text_.fail(at,
                 {"{} has categories, which have no powers", Ref::column(schema_.name(column))});
    }
    return power;
  }
  Index exponent_number() {
    const std::size_t at = text_.at();
    const std::optional<Index> power = text_.whole_number();
    const bool goes_on = power && text_.next() == '.';
    if (power && !goes_on && *power >= 1 && *power <= kMostPower) return *power;
    text_.fail(at, "this power cannot be taken",
               fmt::format("Give a whole number from 1 to {} after '^'.", kMostPower));
  }

  // (a + b + c)^2: these, and products of two different ones.
  TermSet crossed(const TermSet& terms) {
    if (!text_.accept('^')) return terms;
    TermSet result = terms;
    for (Index n = exponent_number(); n > 1; --n) {
      TermSet more = result;
      for (const ColumnProduct& a : result.all()) {
        for (const ColumnProduct& b : terms.all()) {
          if (!share(a, b)) add(more, times(a, b));
        }
      }
      result = more;
    }
    return result;
  }
  static bool share(const ColumnProduct& a, const ColumnProduct& b) {
    return std::any_of(a.begin(), a.end(), [&](const ColumnPower& f) {
      return std::any_of(b.begin(), b.end(),
                         [&](const ColumnPower& g) { return f.column == g.column; });
    });
  }

  TermSet multiplied(const TermSet& a, const TermSet& b) {
    TermSet terms;
    for (const ColumnProduct& left : a.all()) {
      for (const ColumnProduct& right : b.all()) add(terms, times(left, right));
    }
    return terms;
  }
  ColumnProduct times(ColumnProduct a, const ColumnProduct& b) const {
    for (const ColumnPower& factor : b) {
      const auto same = std::find_if(
          a.begin(), a.end(), [&](const ColumnPower& f) { return f.column == factor.column; });
      if (same == a.end()) {
        a.push_back(factor);
      } else if (!is_category(factor.column)) {
        same->power += factor.power;
        if (same->power > kMostPower) {
          text_.fail(text_.at(), "the power of a column is too high",
                     fmt::format("At most {} can be taken.", kMostPower));
        }
      }
    }
    if (a.size() > kMostFactors) {
      text_.fail(text_.at(), "a product has too many columns",
                 fmt::format("At most {} are multiplied.", kMostFactors));
    }
    return a;
  }

  void add(TermSet& terms, const ColumnProduct& term) const {
    if (!terms.add(term) || terms.all().size() <= kMostTermsMade) return;
    text_.fail(text_.at(), fmt::format("there are more than {} terms", kMostTermsMade),
               "Name those that matter.");
  }
  void unite(TermSet& terms, const TermSet& more) const {
    for (const ColumnProduct& term : more.all()) add(terms, term);
  }
  bool is_category(Index column) const {
    return !schema_.columns.empty() && schema_.columns[usize(column)].kind == ColumnKind::kCategory;
  }
  [[noreturn]] void refuse_rest() {
    const char next = text_.next();
    if (next == '(') {
      text_.fail(text_.at(), "functions of columns are not known",
                 "Put what is to be made of the column into a column of the table.");
    }
    text_.fail(text_.at(), fmt::format("'{}' is not expected", next),
               "Between terms stands ',' or '+', between columns ':' or '*'.");
  }

  OptionText text_;
  const Schema& schema_;
  int depth_ = 0;
};

}  // namespace

std::vector<ColumnProduct> parse_terms(std::string_view text, const Schema& schema) {
  return TermParser(text, schema).parse();
}

std::vector<NamedLevel> parse_levels(std::string_view all, const Schema& schema) {
  const Message form = "Give column=level, and a comma between two.";
  OptionText text("reference", all);
  std::vector<NamedLevel> result;
  while (!text.ends()) {
    const std::size_t at = text.at();
    const std::string name = text.name(",=");
    if (!text.accept('=')) text.fail(text.at(), "'=' and a level are missing", form);
    const std::size_t level_at = text.ends() ? all.size() : text.at();
    const std::string level = text.name(",");
    const Index column = text.column(name, at, schema);
    const std::vector<std::string>& levels = schema.column(column).levels;
    if (schema.column(column).kind != ColumnKind::kCategory) {
      text.fail(at, {"{} has numbers, and no levels", Ref::column(name)},
                "Name columns of categories only.");
    }
    const auto found = std::find(levels.begin(), levels.end(), level);
    if (found == levels.end()) {
      const std::string near = did_you_mean(level, levels);
      text.fail(level_at, {"{} has no level '{}'", Ref::column(name), level},
                {"{}{}Its levels are: {}.", near, near.empty() ? "" : " ", listed(levels, 100)},
                Code::kUnknownName);
    }
    result.push_back({column, found - levels.begin()});
    if (!text.ends() && !text.accept(',')) text.fail(text.at(), "a comma is missing", form);
  }
  return result;
}

}  // namespace craton
