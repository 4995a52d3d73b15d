// SPDX-License-Identifier: BSD-3-Clause
// Input: the fuzzer's bytes, taken one after the other; zeros behind their end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace comity::fuzz {

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return raw<std::uint8_t>(); }
  template <typename Number>
  Number raw() {
    Number number{};
    const std::size_t count = std::min(sizeof number, bytes_.size());
    if (count > 0) std::memcpy(&number, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return number;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace comity::fuzz
