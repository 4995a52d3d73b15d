// SPDX-License-Identifier: BSD-3-Clause
// IdleChild: a fork child that does nothing but exist, with all that it inherited, until this object ends. For finding
// out what one process may do with another. Make it while this process has one thread.
#pragma once

#include <sys/types.h>

#include "os/files/descriptor.hpp"

namespace comity::os {

class IdleChild {
 public:
  IdleChild();
  ~IdleChild();
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Descriptor hold_;  // the child lives until this end of a pipe closes, so it cannot outlive us
  pid_t pid_ = -1;
};

}  // namespace comity::os
