#include "craton/text/stop_words.h"

#include <algorithm>

#include "craton/base/error.h"

namespace craton {
namespace {

// The 318 words of the Glasgow Information Retrieval Group, as scikit-learn has them (1.9).
constexpr std::string_view kEnglish =
    "a about above across after afterwards again against all almost alone along already also "
    "although always am among amongst amoungst amount an and another any anyhow anyone anything "
    "anyway anywhere are around as at back be became because become becomes becoming been before "
    "beforehand behind being below beside besides between beyond bill both bottom but by call can "
    "cannot cant co con could couldnt cry de describe detail do done down due during each eg "
    "eight either eleven else elsewhere empty enough etc even ever every everyone everything "
    "everywhere except few fifteen fifty fill find fire first five for former formerly forty "
    "found four from front full further get give go had has hasnt have he hence her here "
    "hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in "
    "inc indeed interest into is it its itself keep last latter latterly least less ltd made many "
    "may me meanwhile might mill mine more moreover most mostly move much must my myself name "
    "namely neither never nevertheless next nine no nobody none noone nor not nothing now nowhere "
    "of off often on once one only onto or other others otherwise our ours ourselves out over own "
    "part per perhaps please put rather re same see seem seemed seeming seems serious several she "
    "should show side since sincere six sixty so some somehow someone something sometime "
    "sometimes somewhere still such system take ten than that the their them themselves then "
    "thence there thereafter thereby therefore therein thereupon these they thick thin third this "
    "those though three through throughout thru thus to together too top toward towards twelve "
    "twenty two un under until up upon us very via was we well were what whatever when whence "
    "whenever where whereafter whereas whereby wherein whereupon wherever whether which while "
    "whither who whoever whole whom whose why will with within without would yet you your yours "
    "yourself yourselves";

std::vector<std::string> split(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  for (;;) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return words;
    text.remove_prefix(first);
    const std::size_t size = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
}

}  // namespace

std::span<const StopList> stop_lists() {
  static const std::vector<StopList> all = [] {
    std::vector<StopList> lists{{"english", "glasgow-318", kEnglish}};
    const std::span<const StopList> others = other_stop_lists();
    lists.insert(lists.end(), others.begin(), others.end());
    std::ranges::sort(lists, {}, &StopList::name);
    return lists;
  }();
  return all;
}

std::vector<std::string> stop_words(std::string_view option) {
  for (const StopList& list : stop_lists()) {
    if (list.name == option) return split(list.words);
  }
  std::vector<std::string> words = split(option);
  if (words.size() == 1 && words[0].size() == option.size()) {
    std::vector<std::string> names;
    for (const StopList& list : stop_lists()) names.emplace_back(list.name);
    const std::string near = did_you_mean(option, names);
    throw InputError(Code::kBadOption, {},
                     {"{} is no list of stop words", Ref::option("stop_words", option)},
                     {"{}{}The lists are: {}. Words of your own are given between blanks; a single "
                      "one with a blank behind it.",
                      near, near.empty() ? "" : " ", listed(names, names.size())});
  }
  return words;
}

}  // namespace craton
