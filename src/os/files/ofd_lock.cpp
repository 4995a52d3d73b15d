// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/ofd_lock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>

namespace comity::os {

// The list of locks exists because fork handlers carry no argument.
struct ForkRegistry {
  static inline std::mutex mutex;
  static inline OfdLock* first = nullptr;

  static void add(OfdLock& lock) {
    static const int installed = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    if (installed != 0) throw system_error("install the fork handler", installed);
    const std::lock_guard guard(mutex);
    lock.next_ = first;
    if (first != nullptr) first->previous_ = &lock;
    first = &lock;
  }

  static void remove(OfdLock& lock) {
    const std::lock_guard guard(mutex);
    (lock.previous_ != nullptr ? lock.previous_->next_ : first) = lock.next_;
    if (lock.next_ != nullptr) lock.next_->previous_ = lock.previous_;
  }

  static void before_fork() { mutex.lock(); }
  static void after_fork_in_parent() { mutex.unlock(); }
  static void after_fork_in_child() {
    for (OfdLock* lock = first; lock != nullptr; lock = lock->next_) {
      if (lock->description_ >= 0) ::close(lock->description_);
      lock->description_ = -1;
    }
    mutex.unlock();
  }
};

namespace {

struct flock one_byte(short type, std::uint64_t byte) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return range;
}

}  // namespace

OfdLock::OfdLock(Descriptor description, std::uint64_t byte) : description_(description.number()) {
  struct flock range = one_byte(F_WRLCK, byte);
  if (::fcntl(description_, F_OFD_SETLK, &range) != 0) {
    const int why = errno;
    const Error error = system_error("lock byte " + std::to_string(byte) + " of a shared file", why);
    if (why == EAGAIN || why == EACCES) throw LockHeld(error);
    throw error;
  }
  ForkRegistry::add(*this);
  static_cast<void>(description.release());
}

OfdLock::~OfdLock() {
  ForkRegistry::remove(*this);
  if (description_ >= 0) ::close(description_);
}

bool OfdLock::held_elsewhere(std::uint64_t byte) const {
  struct flock range = one_byte(F_WRLCK, byte);
  if (::fcntl(description_, F_OFD_GETLK, &range) != 0) {
    throw system_error("ask who holds byte " + std::to_string(byte) + " of a shared file", errno,
                       "something closed a descriptor that it does not own");
  }
  return range.l_type != F_UNLCK;
}

bool try_lock_whole(const Descriptor& description) {
  struct flock range = one_byte(F_WRLCK, 0);
  range.l_len = 0;  // to the end, however far
  return ::fcntl(description.number(), F_OFD_SETLK, &range) == 0;
}

bool somebody_locks(const Descriptor& description) {
  struct flock range = one_byte(F_WRLCK, 0);
  range.l_len = 0;
  return ::fcntl(description.number(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

}  // namespace comity::os
