// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace comity::record {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // lowest bit first
constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t rest = tables[slice - 1][byte];
      tables[slice][byte] = (rest >> 8U) ^ tables[0][rest & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t word_at(const std::byte* place) {
  std::uint64_t word = 0;
  std::memcpy(&word, place, sizeof(word));
  return word;
}

std::uint32_t add_byte(std::uint32_t rest, std::byte byte) {
  return (rest >> 8U) ^ kTables[0][(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::span<const std::byte> bytes,
                                                               std::uint32_t before) noexcept {
  std::uint64_t rest = ~before;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    rest = _mm_crc32_u64(rest, word_at(bytes.data() + at));
  }
  for (; at < bytes.size(); ++at) {
    rest = _mm_crc32_u8(static_cast<std::uint32_t>(rest), std::to_integer<unsigned char>(bytes[at]));
  }
  return ~static_cast<std::uint32_t>(rest);
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
#endif

}  // namespace

// Eight bytes at a time, where the lowest byte of a word is the first in memory.
std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t rest = ~before;
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + kSlices <= bytes.size(); at += kSlices) {
      const std::uint64_t word = word_at(bytes.data() + at) ^ rest;
      rest = 0;
      for (std::size_t i = 0; i < kSlices; ++i) rest ^= kTables[kSlices - 1 - i][(word >> (8 * i)) & 0xFFU];
    }
  }
  for (; at < bytes.size(); ++at) rest = add_byte(rest, bytes[at]);
  return ~rest;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
  if (kHasInstruction) return by_instruction(bytes, before);
#endif
  return crc32c_by_tables(bytes, before);
}

}  // namespace comity::record
