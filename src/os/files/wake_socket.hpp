// SPDX-License-Identifier: BSD-3-Clause
// WakeSocket: a descriptor that other processes make readable, so that they end a sleep on descriptors too: a Unix datagram socket of
// the abstract name space. Everybody in it can read its name (/proc/net/unix), so it takes only what carries its key.
#pragma once

#include <array>
#include <cstdint>

#include "os/files/descriptor.hpp"

namespace comity::os {

struct WakeName {
  std::uint64_t of;      // a random number
  std::uint64_t number;  // of those that have that
};
using WakeKey = std::array<std::uint64_t, 2>;

class WakeSocket {
 public:
  WakeSocket(const WakeName& name, const WakeKey& key);  // throws Status::system

  [[nodiscard]] int number() const { return socket_.number(); }
  // It is no longer readable, unless it is woken anew.
  void drain() noexcept;

 private:
  Descriptor socket_;
};

class Waker {
 public:
  Waker();  // throws Status::system

  // Whether somebody of that name is in this network namespace.
  [[nodiscard]] static bool reaches(const WakeName& name);
  // Nothing where nobody has that name, or another key. Never waits.
  void wake(const WakeName& name, const WakeKey& key) const noexcept;

 private:
  Descriptor socket_;
};

}  // namespace comity::os
