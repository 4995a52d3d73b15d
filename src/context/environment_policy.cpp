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

// What GNU's runtime makes of OMP_PROC_BIND (shown by OMP_DISPLAY_ENV=verbose): "false" switches all binding off, an empty
// value and "0" decide nothing, as if unset. LLVM's pins with an empty value too, and with places beside "false".
enum class ProcBind { unset, off, binds };

ProcBind meaning(const std::optional<std::string>& proc_bind) {
  const std::string word = lower(proc_bind.value_or(""));
  if (word.empty() || word == "0") return ProcBind::unset;
  return word == "false" ? ProcBind::off : ProcBind::binds;
}

bool has_word(const std::string& value, std::string_view word) { return lower(value).find(word) != std::string::npos; }

}  // namespace

std::vector<FightingPolicy> fighting_policies(const Lookup& lookup) {
  std::vector<FightingPolicy> policies;
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
