// SPDX-License-Identifier: BSD-3-Clause
// Policies in the environment that work against a push. Some fight with its binding: the OpenMP runtime pins its threads by
// them at load, and again whenever it likes. Others shrink its team. Not: undoing them (nobody can, after load).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::context {

using Lookup = std::function<std::optional<std::string>(std::string_view)>;

struct Policy {
  std::string variable;
  std::string value;
};

// Whose reading counts: the runtimes differ. Intel's reads as LLVM's.
struct Readers {
  bool gnu;
  bool llvm;
};

// All that are set to something that binds, as any of these runtimes reads them.
[[nodiscard]] std::vector<Policy> fighting_policies(const Lookup& lookup, Readers readers);
// All that let a runtime give a team fewer than so many members, as any of the runtimes reads them.
[[nodiscard]] std::vector<Policy> shrinking_policies(const Lookup& lookup, int members);

// One sentence that names them all and says what to unset; empty for none.
[[nodiscard]] std::string describe_fighting(const std::vector<Policy>& policies);
[[nodiscard]] std::string describe_shrinking(const std::vector<Policy>& policies, int members);

}  // namespace comity::context
