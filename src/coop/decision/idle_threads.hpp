// SPDX-License-Identifier: BSD-3-Clause
// Idle threads of OpenMP spin before they sleep; where cores are few that time is somebody else's. What makes them sleep at
// once, and what of it the user leaves to us: whoever set a wait policy has decided. Pure. Not: those of OpenBLAS, which yield, and
// which a program may call too often for a sleep each time.
//
// Source: libgomp's env.c (GOMP_SPINCOUNT counts before OMP_WAIT_POLICY; read once, in its constructor) and LLVM's
// kmp_settings.cpp (KMP_BLOCKTIME, and KMP_LIBRARY, an older word for OMP_WAIT_POLICY, which alone leaves 200 ms).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::coop {

using Lookup = std::function<std::optional<std::string>(std::string_view name)>;  // of the ranks' environment

// By which an OpenBLAS is told how many threads a call may take: the first that is set, its own before OpenMP's.
inline constexpr std::array<std::string_view, 2> kOwnThreadsOfOpenBlas{"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"};
inline constexpr std::string_view kTeamSize = "OMP_NUM_THREADS";
inline constexpr std::string_view kTeamLimit = "OMP_THREAD_LIMIT";

struct IdleSetting {
  std::string_view name;
  std::string value;
};

// The variables to give to ranks before they start.
[[nodiscard]] std::vector<IdleSetting> settings_of_idle_threads(const Lookup& variable);

// Whether the user leaves LLVM's and Intel's runtime to us; whether GNU's spins, and nobody asked for that; and whether it is left to
// us, for it does so or was told by these settings.
[[nodiscard]] bool may_set_block_time(const Lookup& variable);
[[nodiscard]] bool gnu_spins_unasked(const Lookup& variable);
[[nodiscard]] bool gnu_is_left_to_us(const Lookup& variable);

}  // namespace comity::coop
