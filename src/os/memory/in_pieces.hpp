// SPDX-License-Identifier: BSD-3-Clause
// A small text of /proc, line by line, for who may stand behind malloc on a small stack: it neither allocates nor throws, and takes a quarter of a
// KiB, for the kernel keeps the rest of what it has written for the first read. Not: what the lines say (totals, mappings).
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "os/files/descriptor.hpp"
#include "os/memory/text.hpp"

namespace comity::os {

enum class Wanted : std::uint8_t { next_line, nothing_more };

// Of each whole line at the text's start its first word, and what stands behind it; they are taken off it.
template <typename Step>
Wanted take_lines(std::string_view& text, Step&& step) {
  while (text.find('\n') != std::string_view::npos) {
    std::string_view line = memory_text::next_line(text);
    const std::string_view name = memory_text::next_word(line);
    if (step(name, line) == Wanted::nothing_more) return Wanted::nothing_more;
  }
  return Wanted::next_line;
}

// Until nothing more is wanted. Of a line that is longer than a piece (groups) the rest is one without a name that anybody knows.
template <typename Step>
void read_lines(const char* path, Step&& step) noexcept {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 256> piece;  // NOLINT(*-member-init): what is not read is not used
  std::size_t kept = 0;
  while (file.valid()) {
    const ssize_t got = ::read(file.number(), piece.data() + kept, piece.size() - kept);
    if (got <= 0) return;
    std::string_view text(piece.data(), kept + static_cast<std::size_t>(got));
    if (take_lines(text, step) == Wanted::nothing_more) return;
    kept = text.size() < piece.size() ? text.size() : 0;
    std::memmove(piece.data(), text.data(), kept);
  }
}

}  // namespace comity::os
