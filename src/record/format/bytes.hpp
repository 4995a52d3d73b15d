// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as bytes, one after the other and unaligned: how payloads are written and read. A number stands in the
// machine's own order (files say which that is); a text is its length in 32 bits and its bytes. Reading never leaves the bytes:
// what is not there is an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace comity::record {

using Bytes = std::vector<std::byte>;

// The bytes make no sense where they were read: damaged, or not written by us.
[[nodiscard]] inline Error senseless(const std::string& what) { return {Status::argument, what}; }

class ByteWriter {
 public:
  template <typename Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    raw(std::as_bytes(std::span(&value, 1)));
  }
  void text(std::string_view value) {
    if (value.size() > std::numeric_limits<std::uint32_t>::max()) throw senseless("a text is longer than 4 GiB");
    number(static_cast<std::uint32_t>(value.size()));
    raw(std::as_bytes(std::span(value.data(), value.size())));
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename Number>
  [[nodiscard]] Number number() {
    static_assert(std::is_arithmetic_v<Number>);
    Number value{};
    std::memcpy(&value, raw(sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  [[nodiscard]] std::string text() {
    const auto bytes = raw(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] std::span<const std::byte> raw(std::uint64_t count) {
    if (count > left_.size()) throw senseless("it ends in the middle of a value");
    const auto bytes = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
    return bytes;
  }
  // A count of things of which each takes `least_bytes` at the least: so many must be there.
  [[nodiscard]] std::size_t count(std::uint64_t count, std::size_t least_bytes) const {
    if (count > left_.size() / least_bytes) throw senseless("it counts more than it holds");
    return static_cast<std::size_t>(count);
  }
  [[nodiscard]] std::size_t left() const { return left_.size(); }
  void expect_end() const {
    if (!left_.empty()) throw senseless("it holds more than it should");
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace comity::record
