// SPDX-License-Identifier: BSD-3-Clause
#include "faults/refusal.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>

namespace comity::testing {
namespace {

constexpr std::uint32_t kLowHalf = std::endian::native == std::endian::little ? 0 : 4;

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

// Goes on with the next line where the loaded word is `wanted`, else passes over `lines` of them.
sock_filter unless(std::uint32_t wanted, std::uint8_t lines) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, lines);
}

}  // namespace

bool refuse(const Refusal& refusal) {
  const auto call = static_cast<std::uint32_t>(refusal.system_call);
  const Argument argument = refusal.only_if.value_or(Argument{});
  const auto place = offsetof(seccomp_data, args) + argument.index * sizeof(std::uint64_t) + kLowHalf;
  std::array<sock_filter, 6> lines{
      load(offsetof(seccomp_data, nr)),
      unless(call, 3),
      load(refusal.only_if ? place : offsetof(seccomp_data, nr)),
      unless(refusal.only_if ? argument.value : call, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(refusal.error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace comity::testing
