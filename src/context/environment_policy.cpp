// SPDX-License-Identifier: BSD-3-Clause
#include "context/environment_policy.hpp"

#include <algorithm>
#include <cctype>

namespace comity::context {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool says_off(const std::string& value) {
  const std::string word = lower(value);
  return word.empty() || word == "false" || word == "0";
}

bool has_word(const std::string& value, std::string_view word) { return lower(value).find(word) != std::string::npos; }

}  // namespace

std::vector<FightingPolicy> fighting_policies(const Lookup& lookup) {
  std::vector<FightingPolicy> policies;
  const auto proc_bind = lookup("OMP_PROC_BIND");
  if (proc_bind && !says_off(*proc_bind)) policies.push_back({"OMP_PROC_BIND", *proc_bind});
  // Places alone switch binding on, unless binding is switched off in words.
  const auto places = lookup("OMP_PLACES");
  if (places && !places->empty() && !proc_bind) policies.push_back({"OMP_PLACES", *places});
  const auto gomp = lookup("GOMP_CPU_AFFINITY");
  if (gomp && !gomp->empty() && !(proc_bind && says_off(*proc_bind))) policies.push_back({"GOMP_CPU_AFFINITY", *gomp});
  const auto kmp = lookup("KMP_AFFINITY");
  if (kmp && !kmp->empty() && !has_word(*kmp, "none") && !has_word(*kmp, "disabled")) {
    policies.push_back({"KMP_AFFINITY", *kmp});
  }
  return policies;
}

std::string describe(const std::vector<FightingPolicy>& policies) {
  if (policies.empty()) return {};
  std::string settings;
  std::string names;
  for (const FightingPolicy& policy : policies) {
    settings += (settings.empty() ? "" : ", ") + policy.variable + "=" + policy.value;
    names += " " + policy.variable;
  }
  return "a static policy pins OpenMP threads (" + settings +
         ") and fights with pushed bindings: threads may stay on few cores; unset" + names;
}

}  // namespace comity::context
