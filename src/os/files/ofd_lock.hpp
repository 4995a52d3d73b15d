// SPDX-License-Identifier: BSD-3-Clause
// OfdLock: a lock on one byte of a file, owned by an open file description of its own. The kernel drops it
// when the process ends, however it ends. Fork children lose their copy of the description at once, so that a
// child never keeps the lock of a dead parent; and the description must never be mapped, because a mapping
// would keep it too.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {

// Another description holds the byte; every other failure of a lock is the kernel's refusal.
class LockHeld : public Error {
 public:
  explicit LockHeld(const Error& error) : Error(error) {}
};

class OfdLock {
 public:
  // Throws LockHeld (Status::system), or Status::system when the kernel refuses.
  OfdLock(Descriptor description, std::uint64_t byte);
  ~OfdLock();
  OfdLock(const OfdLock&) = delete;
  OfdLock& operator=(const OfdLock&) = delete;

  // Whether another description holds `byte`. False, too, when the kernel refuses to say.
  [[nodiscard]] bool held_elsewhere(std::uint64_t byte) const;
  // True in a fork child of the process that took the lock: it has no part in what the lock stands for.
  [[nodiscard]] bool lost_by_fork() const { return description_ < 0; }

 private:
  friend struct ForkRegistry;

  int description_;
  OfdLock* previous_ = nullptr;  // the list of all locks of this process, for the fork handler
  OfdLock* next_ = nullptr;
};

// Takes a lock on the whole file if nobody holds any byte of it; it lasts as long as the description.
[[nodiscard]] bool try_lock_whole(const Descriptor& description);

// Whether another description holds a lock on any byte; one that may only read can ask. False, too, when the kernel refuses
// to say.
[[nodiscard]] bool somebody_locks(const Descriptor& description);

}  // namespace comity::os
