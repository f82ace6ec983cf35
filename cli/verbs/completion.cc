#include "cli/parsing/flags.h"
#include "cli/parsing/help.h"

#include <fmt/core.h>

#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

// Scripts for shells, made of what the verbs take. A *key* is what the words typed so far ask for:
// "predict", or "fit gmm". A script knows the flags of every key, and the values of those that have
// some; other flags take files, or nothing that could be guessed.

namespace craton::cli {
namespace {

struct Key {
  std::string words;
  Usage usage;
};

std::vector<Key> all_keys() {
  std::vector<Key> keys;
  for (const Verb* verb : verbs()) {
    if (verb->takes == nullptr) {
      keys.push_back({std::string(verb->name), usage_of(*verb, "")});
      continue;
    }
    for (const ModelInfo& model : craton::models()) {
      if (!verb->takes(model)) continue;
      const std::string name(model.name);
      keys.push_back({fmt::format("{} {}", verb->name, name), usage_of(*verb, name)});
    }
  }
  return keys;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

// The first word of a verb, where it is one of a list; none: a file.
std::vector<std::string> first_words(const Verb& verb) {
  if (verb.first_words != nullptr) return verb.first_words();
  std::vector<std::string> names;
  for (const ModelInfo& model : craton::models()) {
    if (verb.takes != nullptr && verb.takes(model)) names.emplace_back(model.name);
  }
  return names;
}

bool takes_file(const Flag& flag) {
  return flag.type.find("FILE") != flag.type.npos || flag.type == "DIR";
}

// "--output|-o", each behind the key, as patterns of a case.
std::string patterns(const Key& key, const Flag& flag) {
  std::vector<std::string> all;
  for (const std::string& name : flag.names) all.push_back(fmt::format("'{} {}'", key.words, name));
  return join(all, "|");
}

std::string flag_names(const Usage& usage) {
  std::vector<std::string> names;
  for (const Flag& flag : usage.flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return join(names, " ");
}

// 'text', with what a single quote of this shell needs: bash and zsh leave the quotes for it.
std::string quoted(const std::string& text, std::string_view escaped_quote) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += escaped_quote;
    } else {
      result.push_back(c == '\n' ? ' ' : c);
    }
  }
  return result + "'";
}

// The part that bash and zsh share: which words fit after this key and flag.
std::string value_cases(std::span<const Key> keys) {
  std::string text;
  for (const Key& key : keys) {
    for (const Flag& flag : key.usage.flags) {
      if (flag.type.empty()) continue;
      std::vector<std::string> words = flag.choices();
      const std::string kind = takes_file(flag) ? "file" : words.empty() ? "none" : "words";
      text += fmt::format("    {}) kind={} words={};;\n", patterns(key, flag), kind,
                          quoted(join(words, " "), "'\\''"));
    }
  }
  return text;
}

std::string first_word_cases() {
  std::string text;
  for (const Verb* verb : verbs()) {
    const std::vector<std::string> words = first_words(*verb);
    if (!words.empty()) {
      text += fmt::format("    {}) words={};;\n", verb->name, quoted(join(words, " "), "'\\''"));
    }
  }
  return text;
}

std::string flag_cases(std::span<const Key> keys) {
  std::string text;
  for (const Key& key : keys) {
    text += fmt::format("    '{}') words='{}';;\n", key.words, flag_names(key.usage));
  }
  return text;
}

std::string key_of(std::string_view verb, std::string_view next) {
  std::string pattern;
  for (const Verb* known : verbs()) {
    if (known->takes == nullptr) continue;
    pattern += pattern.empty() ? "" : "|";
    pattern += known->name;
  }
  return fmt::format("  case \"{}\" in {}) key=\"{} {}\";; esac\n", verb, pattern, verb, next);
}

std::string for_bash(std::span<const Key> keys) {
  return fmt::format(R"(# Completion of craton for bash. Made by 'craton completion bash':
#   source <(craton completion bash)
_craton() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD-1]}}
  local verb=${{COMP_WORDS[1]}} key=${{COMP_WORDS[1]}} kind='' words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
{}  case "$key $last" in
{}  esac
  case "$kind" in
    file) return;;
    none) compopt +o default; return;;
  esac
  if [[ -z $kind && $current == -* ]]; then
    case "$key" in
{}    esac
  elif [[ -z $kind ]] && ((COMP_CWORD == 2)); then
    case "$verb" in
{}    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}}
complete -o default -F _craton craton
)",
                     join(verb_names(), " "), key_of("$verb", "${COMP_WORDS[2]}"),
                     value_cases(keys), flag_cases(keys), first_word_cases());
}

// A line "name:what it is" for each, as _describe wants them.
std::string described(std::string_view name, const std::string& help) {
  return "      " + quoted(fmt::format("{}:{}", name, help), "'\\''") + "\n";
}

std::string for_zsh(std::span<const Key> keys) {
  std::string names, flags;
  for (const Verb* verb : verbs()) names += described(verb->name, std::string(verb->help));
  for (const Key& key : keys) {
    flags += fmt::format("    '{}') flags=(\n", key.words);
    for (const Flag& flag : key.usage.flags) {
      for (const std::string& name : flag.names) flags += described(name, flag.help);
    }
    flags += "    );;\n";
  }
  return fmt::format(R"(#compdef craton
# Completion of craton for zsh. Made by 'craton completion zsh': put it into a folder of $fpath as
# _craton, or
#   source <(craton completion zsh)
_craton() {{
  local last=${{words[CURRENT-1]}} verb=${{words[2]}} key=${{words[2]}} kind=''
  local -a typed flags verbs
  typed=($words)
  if (( CURRENT == 2 )); then
    verbs=(
{}    )
    _describe 'verb' verbs
    return
  fi
  local next=${{typed[3]}} words=''
{}  case "$key $last" in
{}  esac
  case "$kind" in
    file) _files; return;;
    none) return 1;;
    words) compadd -- ${{=words}}; return;;
  esac
  if [[ $PREFIX == -* ]]; then
    case "$key" in
{}    esac
    _describe -o 'option' flags
    return
  fi
  if (( CURRENT == 3 )); then
    case "$verb" in
{}    esac
  fi
  if [[ -n $words ]]; then compadd -- ${{=words}}; else _files; fi
}}
if [[ ${{funcstack[1]}} == _craton ]]; then _craton "$@"; else compdef _craton craton; fi
)",
                     names, key_of("$verb", "$next"), value_cases(keys), flags, first_word_cases());
}

std::string for_fish(std::span<const Key> keys) {
  const auto fish = [](const std::string& text) {
    std::string safe;
    for (const char c : text) safe += c == '\\' ? "\\\\" : std::string(1, c);
    return quoted(safe, "\\'");
  };
  std::string text = R"(# Completion of craton for fish. Made by 'craton completion fish':
#   craton completion fish | source
function __craton_has
    set -l typed (commandline -opc)
    set -l wanted (string split ' ' -- $argv[1])
    test (count $typed) -gt (count $wanted); and test "$typed[2..$(math (count $wanted) + 1)]" = "$wanted"
end
function __craton_at
    set -l typed (commandline -opc)
    test (count $typed) -eq (math (count $argv) + 1); and test "$typed[2..-1]" = "$argv"
end
)";
  for (const Verb* verb : verbs()) {
    text += fmt::format("complete -c craton -f -n __craton_at -a {} -d {}\n", verb->name,
                        fish(std::string(verb->help)));
    if (const std::vector<std::string> words = first_words(*verb); !words.empty()) {
      text += fmt::format("complete -c craton -f -n '__craton_at {}' -a '{}'\n", verb->name,
                          join(words, " "));
    }
  }
  for (const Key& key : keys) {
    for (const Flag& flag : key.usage.flags) {
      text += fmt::format("complete -c craton -n '__craton_has \"{}\"'", key.words);
      for (const std::string& name : flag.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const std::vector<std::string> words = flag.choices();
      if (takes_file(flag)) {
        text += " -r -F";
      } else if (!flag.type.empty()) {
        text += words.empty() ? " -x" : fmt::format(" -x -a '{}'", join(words, " "));
      }
      text += fmt::format(" -d {}\n", fish(flag.help));
    }
  }
  return text;
}

int run_completion(const Command& command) {
  const std::vector<Key> keys = all_keys();
  using Script = std::string (*)(std::span<const Key>);
  const auto script = choice_of<Script>("SHELL", command.shell,
                                        {{"bash", for_bash}, {"zsh", for_zsh}, {"fish", for_fish}});
  print(script(keys));
  return kOk;
}

void add_completion_flags(Flags& flags) {
  flags.word("SHELL", flags.command().shell, "bash, zsh or fish");
}

}  // namespace

extern constinit const Verb kCompletion{
    .name = "completion",
    .help = "Print a script that completes words of craton at a shell.",
    .example = "craton completion bash >craton.bash",
    .add = add_completion_flags,
    .run = run_completion,
    .first_words =
        [] {
          return std::vector<std::string>{"bash", "zsh", "fish"};
        },
    .json = false,
};

}  // namespace craton::cli
