// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/idle_threads.hpp"

#include <algorithm>
#include <cctype>

#include "os/threads/gnu_spin.hpp"

namespace comity::coop {
namespace {

constexpr std::string_view kPolicy = "OMP_WAIT_POLICY";
constexpr std::string_view kGnu = "GOMP_SPINCOUNT";
constexpr std::string_view kLlvm = "KMP_BLOCKTIME";
constexpr std::string_view kLlvmPolicy = "KMP_LIBRARY";

std::string without_blanks_in_small(std::string_view text) {
  std::string kept;
  for (const char letter : text) {
    if (letter != ' ' && letter != '\t') kept += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return kept;
}

// Passive: who asked for that asks for what we want.
bool wants_another_policy(const Lookup& variable) {
  const std::optional<std::string> policy = variable(kPolicy);
  return policy && without_blanks_in_small(*policy) != "passive";
}

bool leaves_gnu(const Lookup& variable) { return !wants_another_policy(variable) && !variable(kGnu); }
bool has_told_gnu(const Lookup& variable) { return variable(kGnu) == std::to_string(os::GnuSpin::kTold); }
bool leaves_llvm(const Lookup& variable) {
  return !wants_another_policy(variable) && !variable(kLlvm) && !variable(kLlvmPolicy);
}

}  // namespace

std::vector<IdleSetting> settings_of_idle_threads(const Lookup& variable) {
  std::vector<IdleSetting> all;
  const bool gnu = leaves_gnu(variable);
  const bool llvm = leaves_llvm(variable);
  if (gnu && llvm && !variable(kPolicy)) all.push_back({kPolicy, "passive"});
  if (gnu && !variable(kPolicy)) all.push_back({kGnu, std::to_string(os::GnuSpin::kTold)});
  if (llvm) all.push_back({kLlvm, "0"});
  return all;
}

bool may_set_block_time(const Lookup& variable) { return leaves_llvm(variable); }

bool gnu_spins_unasked(const Lookup& variable) { return !variable(kPolicy) && leaves_gnu(variable); }

bool gnu_is_left_to_us(const Lookup& variable) { return gnu_spins_unasked(variable) || has_told_gnu(variable); }

}  // namespace comity::coop
