// SPDX-License-Identifier: BSD-3-Clause
// Kinds of devices and of memory, and their names. Not: the devices and nodes themselves (machine.hpp). The numbers
// stand in the shared image and in the C header: they never change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace comity::machine {

enum class DeviceKind : std::uint8_t { gpu = 0, nic = 1 };

inline constexpr std::array<std::string_view, 2> kDeviceKinds{"gpu", "nic"};  // name of kind i
inline constexpr std::size_t kDeviceKindCount = kDeviceKinds.size();

// dram: ordinary, also where nothing is told. expander: no PU is near it (CXL and the like).
enum class MemoryKind : std::uint8_t { dram = 0, hbm = 1, expander = 2, gpu = 3, nvm = 4 };

inline constexpr std::array<std::string_view, 5> kMemoryKinds{"dram", "hbm", "expander", "gpu", "nvm"};

[[nodiscard]] constexpr std::string_view kind_name(DeviceKind kind) {
  return kDeviceKinds[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view kind_name(MemoryKind kind) {
  return kMemoryKinds[static_cast<std::size_t>(kind)];
}

}  // namespace comity::machine
