// SPDX-License-Identifier: BSD-3-Clause
// Notice: a warning that concerns all ranks of a node, given by one of them. Not: who has given which (runtime, node).
#pragma once

#include <functional>

namespace comity::context {

// All but the last concern them alike, for they have the same environment and launcher as a rule.
enum class Notice : unsigned {
  fighting_policy = 0,
  narrow_start = 1,
  small_team = 2,
  unknown_setting = 3,
  another_cpuset = 4
};
using FirstToTell = std::function<bool(Notice)>;  // true for one rank of the node, whoever asks first

}  // namespace comity::context
