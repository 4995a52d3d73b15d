// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/pss_sum.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/files/descriptor.hpp"
#include "os/memory/text.hpp"

namespace comity::os {
namespace {

using namespace memory_text;

// "7f01-7f02 r-xp 00000000 fd:01 17   /opt/libmpi.so"; names of fields begin with a capital.
bool is_first_of_area(std::string_view line) {
  return !line.empty() && (line.front() < 'A' || line.front() > 'Z') && line.find('-') < line.find(' ');
}

std::string_view name_in(std::string_view line) {
  constexpr int kWordsBefore = 5;
  for (int i = 0; i < kWordsBefore; ++i) (void)next_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line;
}

}  // namespace

void PssSum::add(std::string_view part) noexcept {
  while (!part.empty()) {
    const std::size_t end = part.find('\n');
    const std::string_view piece = part.substr(0, end);
    const std::size_t kept = std::min(piece.size(), begun_.size() - begun_bytes_);
    std::copy_n(piece.begin(), kept, begun_.begin() + static_cast<std::ptrdiff_t>(begun_bytes_));
    begun_bytes_ += kept;
    if (end == std::string_view::npos) return;
    add_line({begun_.data(), begun_bytes_});
    begun_bytes_ = 0;
    part.remove_prefix(end + 1);
  }
}

void PssSum::add_line(std::string_view line) noexcept {
  constexpr std::string_view kPss = "Pss:";
  if (is_first_of_area(line)) {
    counts_ = !is_left_out_(name_in(line));
  } else if (counts_ && line.starts_with(kPss)) {
    line.remove_prefix(kPss.size());
    bytes_ += kib(line).value_or(0);
  }
}

// Opened anew each time: a file that is kept is one for all threads, and a fork child would read of its parent.
std::optional<std::uint64_t> own_pss_without(PssSum::IsLeftOut is_left_out) noexcept {
  const Descriptor file(::open("/proc/self/smaps", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  PssSum sum(is_left_out);
  std::array<char, 8192> text;  // NOLINT(*-member-init): what is not read is not used
  for (;;) {
    const ssize_t got = ::read(file.number(), text.data(), text.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return sum.bytes();
    sum.add({text.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace comity::os
