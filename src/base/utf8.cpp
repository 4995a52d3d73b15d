// SPDX-License-Identifier: BSD-3-Clause
#include "base/utf8.hpp"

#include <algorithm>

namespace comity {
namespace {

// How many bytes the letter at the start of the text has; 0: it is none, or not one that shows.
std::size_t letter_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return first >= 0x20U && first != 0x7FU ? 1 : 0;
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) && (first != 0xC2U || byte(1) >= 0xA0U) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool shortest = first != 0xE0U || byte(1) >= 0xA0U;
    const bool surrogate = first == 0xEDU && byte(1) >= 0xA0U;
    return follows(1) && follows(2) && shortest && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool in_range = (first != 0xF0U || byte(1) >= 0x90U) && (first != 0xF4U || byte(1) < 0x90U);
    return follows(1) && follows(2) && follows(3) && in_range ? 4 : 0;
  }
  return 0;
}

// Bytes that are no visible letter as they are written in C: a message ends at none of them, and no terminal obeys them.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = std::max<std::size_t>(letter_bytes(text), 1);
    if (letter_bytes(text) > 0) {
      shown += text.substr(0, bytes);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      shown.append("\\x").append({kDigits[byte >> 4U], kDigits[byte & 0xFU]});
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

bool continues_a_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = letter_bytes(text);
    shown += bytes == 0 ? "?" : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

std::string visible_lines(std::string_view text) {
  std::string shown;
  while (true) {
    const std::size_t end = text.find('\n');
    shown += visible(text.substr(0, end));
    if (end == std::string_view::npos) return shown;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
}

bool is_visible(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = letter_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string_view begin_of(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  while (most_bytes > 0 && continues_a_letter(text[most_bytes])) --most_bytes;
  return text.substr(0, most_bytes);
}

std::string_view end_of(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t start = text.size() - most_bytes;
  while (start < text.size() && continues_a_letter(text[start])) ++start;
  return text.substr(start);
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= most_bytes) return std::string(text);
  return std::string(begin_of(text, most_bytes - std::min(most_bytes, kCut.size()))).append(kCut);
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kMostTold_bytes = 200;
  return '"' + escaped(shortened(word, kMostTold_bytes)) + '"';
}

}  // namespace comity
