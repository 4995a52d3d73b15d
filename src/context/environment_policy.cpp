// SPDX-License-Identifier: BSD-3-Clause
#include "context/environment_policy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

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

// What GNU's runtime makes of OMP_PROC_BIND (shown by OMP_DISPLAY_ENV=verbose): "false" switches all binding off, an empty
// value and "0" decide nothing, as if unset. LLVM's pins with an empty value too, and with places beside "false".
enum class ProcBind { unset, off, binds };

ProcBind meaning(const std::optional<std::string>& proc_bind) {
  const std::string word = lower(proc_bind.value_or(""));
  if (word.empty() || word == "0") return ProcBind::unset;
  return word == "false" ? ProcBind::off : ProcBind::binds;
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

bool has_word(const std::string& value, std::string_view word) { return lower(value).find(word) != std::string::npos; }

}  // namespace

std::vector<Policy> fighting_policies(const Lookup& lookup) {
  std::vector<Policy> policies;
  const auto note = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value && !value->empty()) policies.push_back({std::string(name), *value});
  };
  const auto proc_bind = lookup("OMP_PROC_BIND");
  const ProcBind binding = meaning(proc_bind);
  if (binding == ProcBind::binds) note("OMP_PROC_BIND", proc_bind);
  // Each of these switches binding on by itself, so all are named: whoever unset the first would still have the others.
  if (binding != ProcBind::off) {
    for (const char* const name : {"OMP_PLACES", "GOMP_CPU_AFFINITY"}) note(name, lookup(name));
  }
  const auto kmp = lookup("KMP_AFFINITY");
  if (kmp && !has_word(*kmp, "none") && !has_word(*kmp, "disabled")) note("KMP_AFFINITY", kmp);
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
