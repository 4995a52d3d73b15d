// SPDX-License-Identifier: BSD-3-Clause
// A channel of values for a test, with the memory that it needs.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "sched/waiting/channel.hpp"

namespace comity::testing {

template <typename T>
class ChannelOf {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ChannelOf(std::size_t capacity)
      : memory_(capacity * sizeof(T)), channel_(memory_.data(), sizeof(T), capacity) {}

  bool send(const T& value) { return channel_.send(&value); }
  std::optional<T> receive() {
    T value{};
    return channel_.receive(&value) ? std::optional<T>(value) : std::nullopt;
  }
  void close() { channel_.close(); }

 private:
  std::vector<std::byte> memory_;
  sched::ByteChannel channel_;
};

}  // namespace comity::testing
