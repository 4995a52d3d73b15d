// SPDX-License-Identifier: BSD-3-Clause
#include "base/cpu_set.hpp"

#include <charconv>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity {
namespace {

[[noreturn]] void reject(std::string_view text, std::size_t at, std::string_view why) {
  throw Error(Status::argument, "read the CPU set " + in_quotes(text) + ": at character " + std::to_string(at + 1) +
                                    ": " + std::string(why) + "; write a list such as 0-3,8 or a mask such as 0x10f");
}

std::size_t parse_number(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (problem == std::errc::invalid_argument) reject(text, at, "a CPU number is expected");
  if (problem != std::errc{} || value >= CpuSet::kCapacity)
    reject(text, at, "CPU numbers end at " + std::to_string(CpuSet::kCapacity - 1));
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

CpuSet CpuSet::first(std::size_t count) {
  CpuSet set;
  for (std::size_t cpu = 0; cpu < count; ++cpu) set.insert(cpu);
  return set;
}

void CpuSet::insert(std::size_t cpu) {
  if (cpu >= kCapacity) {
    throw Error(Status::range, "CPU " + std::to_string(cpu) + " is above the largest that Comity knows, " +
                                   std::to_string(kCapacity - 1));
  }
  words_[cpu / kWordBits] |= std::uint64_t{1} << (cpu % kWordBits);
}

CpuSet CpuSet::parse_list(std::string_view text) {
  CpuSet set;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t low = parse_number(text, at);
    std::size_t high = low;
    if (at < text.size() && text[at] == '-') {
      ++at;
      high = parse_number(text, at);
      if (high < low) reject(text, at - 1, "the range runs backwards");
    }
    for (std::size_t cpu = low; cpu <= high; ++cpu) set.insert(cpu);
    if (at == text.size()) break;
    if (text[at] != ',') reject(text, at, "a comma is expected");
    if (++at == text.size()) reject(text, at - 1, "a CPU number is expected after the comma");
  }
  return set;
}

CpuSet CpuSet::parse_hex(std::string_view text) {
  CpuSet set;
  const std::size_t start = text.starts_with("0x") || text.starts_with("0X") ? 2 : 0;
  if (start == text.size()) reject(text, start, "a hexadecimal digit is expected");
  std::size_t bit = 0;
  for (std::size_t at = text.size(); at-- > start;) {
    if (text[at] == ',') {
      if (bit == 0 || bit % 32 != 0 || at == start || text[at - 1] == ',') {
        reject(text, at, "a comma stands between digits, before every eight of them");
      }
      continue;
    }
    const int digit = hex_digit(text[at]);
    if (digit < 0) reject(text, at, "a hexadecimal digit is expected");
    for (std::size_t i = 0; i < 4; ++i, ++bit) {
      if (((digit >> i) & 1) == 0) continue;
      if (bit >= kCapacity) reject(text, at, "CPU numbers end at " + std::to_string(kCapacity - 1));
      set.insert(bit);
    }
  }
  return set;
}

std::optional<std::size_t> CpuSet::next(std::size_t from) const {
  for (std::size_t word = from / kWordBits; word < kWords; ++word) {
    std::uint64_t bits = words_[word];
    if (word == from / kWordBits) bits &= ~std::uint64_t{0} << (from % kWordBits);
    if (bits != 0) return word * kWordBits + static_cast<std::size_t>(std::countr_zero(bits));
  }
  return std::nullopt;
}

std::optional<std::size_t> CpuSet::highest() const {
  for (std::size_t word = kWords; word-- > 0;) {
    if (words_[word] != 0) {
      return word * kWordBits + kWordBits - 1 - static_cast<std::size_t>(std::countl_zero(words_[word]));
    }
  }
  return std::nullopt;
}

std::string CpuSet::to_list() const {
  std::string text;
  for (auto low = lowest(); low;) {
    std::size_t high = *low;
    while (contains(high + 1)) ++high;
    if (!text.empty()) text += ',';
    text += std::to_string(*low);
    if (high > *low) text += '-' + std::to_string(high);
    low = next(high + 1);
  }
  return text;
}

std::string CpuSet::to_hex() const {
  const std::size_t digits = highest().value_or(0) / 4 + 1;
  std::string text = "0x";
  for (std::size_t digit = digits; digit-- > 0;) {
    const std::uint64_t word = words_[digit / 16];
    text += "0123456789abcdef"[(word >> (digit % 16 * 4)) & 0xFU];
  }
  return text;
}

}  // namespace comity
