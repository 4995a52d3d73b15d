// SPDX-License-Identifier: BSD-3-Clause
// What a step writes to standard error, by this process and the ranks that it forks.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace comity::testing {

template <typename Step>
std::string said_during(Step&& step) {
  const int file = ::memfd_create("said", MFD_CLOEXEC);
  // Ranks write at the same time. The kernel does not lock the offset that they share in such a file: without this one
  // rank's words may lie over another's.
  EXPECT_EQ(::fcntl(file, F_SETFL, O_APPEND), 0);
  const int kept = ::dup(STDERR_FILENO);
  std::fflush(stderr);
  EXPECT_EQ(::dup2(file, STDERR_FILENO), STDERR_FILENO);
  step();
  std::fflush(stderr);
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);

  std::string text;
  std::array<char, 4096> piece;
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(file);
  std::fputs(text.c_str(), stderr);
  return text;
}

inline int times(const std::string& words, const std::string& text) {
  int found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

}  // namespace comity::testing
