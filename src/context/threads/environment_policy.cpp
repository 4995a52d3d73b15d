// SPDX-License-Identifier: BSD-3-Clause
#include "context/threads/environment_policy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace comity::context {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool has_word(const std::string& value, std::string_view word) { return lower(value).find(word) != std::string::npos; }

// What pins, by name of the variable, as each runtime reads them: seen with OMP_DISPLAY_ENV=verbose and by the masks of a
// team. A list of places that no runtime understands still counts as one.
using Names = std::vector<std::string_view>;

std::vector<std::string> items_of(const std::string& value) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    items.push_back(lower(trimmed(value.substr(at, end - at))));
    at = end + 1;
  }
  return items;
}

bool is_known_bind(const std::string& word) {
  return word == "master" || word == "primary" || word == "close" || word == "spread";
}

bool begins_with_one_of(std::string_view firsts, const std::string& value) {
  const std::string text = trimmed(value);
  return !text.empty() && firsts.find(text[0]) != std::string_view::npos;
}

// GNU's: "false" switches all binding off. What it does not understand decides nothing, as if unset.
Names pinning_with_gnu(const Lookup& lookup) {
  const std::vector<std::string> binds = items_of(lookup("OMP_PROC_BIND").value_or(""));
  if (binds.size() == 1 && binds[0] == "false") return {};
  Names names;
  const bool is_true = binds.size() == 1 && binds[0] == "true";
  if (is_true || std::all_of(binds.begin(), binds.end(), is_known_bind)) names.emplace_back("OMP_PROC_BIND");
  if (!trimmed(lookup("OMP_PLACES").value_or("")).empty()) names.emplace_back("OMP_PLACES");
  if (begins_with_one_of("0123456789", lookup("GOMP_CPU_AFFINITY").value_or(""))) {
    names.emplace_back("GOMP_CPU_AFFINITY");
  }
  return names;
}

// What KMP_AFFINITY makes of binding. A type in it overrules all other variables, wherever in the text it stands.
enum class Kmp : std::uint8_t {
  absent,  // no type: the others decide
  off,     // none or disabled, or a type where none can be read
  pins,
};

constexpr std::array<std::string_view, 8> kKmpTypes{"none",     "disabled", "balanced", "compact",
                                                    "explicit", "logical",  "physical", "scatter"};

Kmp kmp_of(const std::string& value) {
  for (const std::string& item : items_of(value)) {
    for (const std::string_view type : kKmpTypes) {
      if (!item.starts_with(type)) continue;
      const bool without_list = type == "explicit" && !has_word(value, "proclist");
      return type == "none" || type == "disabled" || without_list ? Kmp::off : Kmp::pins;
    }
  }
  const auto is_named = [&](std::string_view type) { return has_word(value, type); };
  return std::any_of(kKmpTypes.begin(), kKmpTypes.end(), is_named) ? Kmp::off : Kmp::absent;
}

// What LLVM's runtime takes for no in OMP_PROC_BIND, whatever follows it. Words that it does not know, and none, bind.
bool is_bind_off_with_llvm(const std::string& value) {
  const std::string word = lower(trimmed(value));
  unsigned number = 1;
  (void)std::from_chars(word.data(), word.data() + word.size(), number);
  return number == 0 || word.starts_with("false") || word.starts_with("disabled");
}

// LLVM's pins with an empty value too, and with places whatever OMP_PROC_BIND says. GOMP_CPU_AFFINITY without a list
// switches binding off.
Names pinning_with_llvm(const Lookup& lookup) {
  const std::string kmp_text = lookup("KMP_AFFINITY").value_or("");
  const Kmp kmp = kmp_of(kmp_text);
  if (kmp == Kmp::off) return {};
  const auto gomp = lookup("GOMP_CPU_AFFINITY");
  const bool has_list = gomp && begins_with_one_of("{0123456789", *gomp);
  if (kmp == Kmp::absent && gomp && !has_list) return {};
  Names names;
  const auto proc_bind = lookup("OMP_PROC_BIND");
  if (proc_bind && !is_bind_off_with_llvm(*proc_bind)) names.emplace_back("OMP_PROC_BIND");
  if (lookup("OMP_PLACES")) names.emplace_back("OMP_PLACES");
  if (has_list) names.emplace_back("GOMP_CPU_AFFINITY");
  if (kmp == Kmp::pins || has_word(kmp_text, "proclist")) names.emplace_back("KMP_AFFINITY");
  return names;
}

// What LLVM's runtime takes for yes in OMP_DYNAMIC: these words, the first few also by their first letters. GNU's knows
// "true" alone, but between blanks.
bool says_yes(const std::string& value) {
  constexpr std::array<std::string_view, 2> kByFirstLetters{"true", "yes"};
  constexpr std::array<std::string_view, 5> kWhole{"1", "on", ".t.", ".true.", "enabled"};
  const std::string word = lower(trimmed(value));
  if (word.empty()) return false;
  const auto begins_with_it = [&](std::string_view whole) { return whole.starts_with(word); };
  return std::any_of(kByFirstLetters.begin(), kByFirstLetters.end(), begins_with_it) ||
         std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end();
}

// None where it is no number, or too large for one.
std::optional<int> number(const std::string& value) {
  std::string digits = trimmed(value);
  if (digits.starts_with('+')) digits.erase(0, 1);
  int result = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return result;
}

struct Words {
  std::string settings;  // "A=1, B=2"
  std::string names;     // " A B"
};

Words words_for(const std::vector<Policy>& policies) {
  Words words;
  for (const Policy& policy : policies) {
    words.settings += (words.settings.empty() ? "" : ", ") + policy.variable + "=" + policy.value;
    words.names += " " + policy.variable;
  }
  return words;
}

}  // namespace

// Each of them switches binding on by itself, so all are named: whoever unset the first would still have the others.
std::vector<Policy> fighting_policies(const Lookup& lookup, Readers readers) {
  Names names = readers.gnu ? pinning_with_gnu(lookup) : Names{};
  for (const std::string_view name : readers.llvm ? pinning_with_llvm(lookup) : Names{}) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::vector<Policy> policies;
  for (const std::string_view name : names) policies.push_back({std::string(name), lookup(name).value_or("")});
  return policies;
}

// A limit of zero is ignored by GNU's runtime and one for LLVM's.
std::vector<Policy> shrinking_policies(const Lookup& lookup, int members) {
  std::vector<Policy> policies;
  if (members < 2) return policies;
  const auto note_if = [&](const char* name, const auto& shrinks) {
    const std::optional<std::string> value = lookup(name);
    if (value && shrinks(*value)) policies.push_back({name, *value});
  };
  note_if("OMP_DYNAMIC", says_yes);
  note_if("OMP_THREAD_LIMIT", [&](const std::string& value) {
    const std::optional<int> limit = number(value);
    return limit && *limit >= 0 && *limit < members;
  });
  note_if("OMP_MAX_ACTIVE_LEVELS", [](const std::string& value) { return number(value) == 0; });
  return policies;
}

std::string describe_fighting(const std::vector<Policy>& policies) {
  if (policies.empty()) return {};
  const Words words = words_for(policies);
  return "a static policy pins OpenMP threads (" + words.settings +
         ") and fights with pushed bindings: threads may stay on few cores; unset" + words.names;
}

std::string describe_shrinking(const std::vector<Policy>& policies, int members) {
  if (policies.empty()) return {};
  const Words words = words_for(policies);
  return "OpenMP may give smaller teams (" + words.settings + ") than the " + std::to_string(members) +
         " members that a push has cores for: a wide phase may run on few threads, or on one; unset" + words.names;
}

}  // namespace comity::context
