// SPDX-License-Identifier: BSD-3-Clause
// Passing descriptors between processes over Unix datagram sockets of the abstract name space: names are no
// files, so nothing is left behind. A sent message waits in the receiver's queue: neither side blocks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "os/files/descriptor.hpp"

namespace comity::os {

inline constexpr std::size_t kPassedDescriptors = 2;
using PassedDescriptors = std::array<Descriptor, kPassedDescriptors>;

// A receiver under a random name, which only those learn who are told.
class DescriptorReceiver {
 public:
  DescriptorReceiver();

  [[nodiscard]] const std::string& name() const { return name_; }
  // The next message of exactly this text that carries two descriptors; others are dropped. Empty: none is
  // there.
  [[nodiscard]] std::optional<PassedDescriptors> receive(std::span<const std::byte> text);

 private:
  std::string name_;
  Descriptor socket_;
};

// Throws Status::system when the receiver is not reachable from here or its queue is full.
void send_descriptors(const std::string& receiver, std::span<const std::byte> text, const PassedDescriptors& files);

}  // namespace comity::os
