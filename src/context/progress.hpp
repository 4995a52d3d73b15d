// SPDX-License-Identifier: BSD-3-Clause
// Progress: what lets a library of messages go on while a rank rests.
#pragma once

namespace comity::context {

struct Progress {
  void (*make)(void* data) = nullptr;  // null: there is nothing
  void* data = nullptr;
};

}  // namespace comity::context
