// SPDX-License-Identifier: BSD-3-Clause
// Runs a program that the kernel refuses one system call, as a container's seccomp profile does:
//   refused memfd_create -- PROGRAM ARGUMENT..
//   refused fcntl 1 37 -- PROGRAM ARGUMENT..      only where argument 1, counted from 0, is 37
// Ends with 77 where no filter can be set here.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include "faults/refusal.hpp"

namespace {

constexpr int kSkipped = 77;
constexpr int kMisused = 2;
constexpr int kNoProgram = 127;

const std::map<std::string_view, int> kCalls{
    {"memfd_create", SYS_memfd_create}, {"socket", SYS_socket}, {"fcntl", SYS_fcntl}, {"futex", SYS_futex}};

std::uint32_t number(const char* text) { return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)); }

}  // namespace

int main(int argc, char** argv) {
  int end = 1;
  while (end < argc && std::string_view(argv[end]) != "--") ++end;
  const auto call = kCalls.find(argc > 1 ? argv[1] : "");
  if (call == kCalls.end() || (end != 2 && end != 4) || end + 1 >= argc) {
    std::fprintf(stderr, "usage: refused CALL [INDEX VALUE] -- PROGRAM ARGUMENT..\n");
    return kMisused;
  }
  comity::testing::Refusal refusal{call->second, EPERM};
  if (end == 4) refusal.only_if = {number(argv[2]), number(argv[3])};
  if (!comity::testing::refuse(refusal)) {
    std::perror("set a filter");
    return kSkipped;
  }
  ::execv(argv[end + 1], argv + end + 1);
  std::perror(argv[end + 1]);
  return kNoProgram;
}
