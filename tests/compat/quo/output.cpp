// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace conform {
namespace {

constexpr std::array kStreams{STDOUT_FILENO, STDERR_FILENO};

}  // namespace

Output::Output() : kept_(memfd_create("output", MFD_CLOEXEC)) {
  (void)std::fflush(nullptr);
  for (std::size_t i = 0; i < kStreams.size(); ++i) {
    before_[i] = dup(kStreams[i]);
    if (kept_ < 0 || before_[i] < 0 || dup2(kept_, kStreams[i]) < 0) std::abort();
  }
}

void Output::give_back() {
  if (ended_) return;
  ended_ = true;
  (void)std::fflush(nullptr);
  for (std::size_t i = 0; i < kStreams.size(); ++i) {
    (void)dup2(before_[i], kStreams[i]);
    (void)close(before_[i]);
  }
}

std::string Output::end() {
  give_back();
  std::string text;
  std::array<char, 4096> part{};
  (void)lseek(kept_, 0, SEEK_SET);
  for (ssize_t bytes = 0; (bytes = read(kept_, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return text;
}

Output::~Output() {
  give_back();
  (void)close(kept_);
}

}  // namespace conform
