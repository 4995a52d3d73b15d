// SPDX-License-Identifier: BSD-3-Clause
// What of PMIx (versions 3 to 5), the launchers' interface that Open MPI uses, is used here: its types and numbers. So
// nothing is needed of it to build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace comity::preload::pmix {

using Code = int;
inline constexpr Code kSuccess = 0;
inline constexpr Code kNotFound = -46;

using Scope = std::uint8_t;
inline constexpr Scope kGlobal = 3;  // for ranks of all nodes

struct Process {
  std::array<char, 256> job{};
  std::uint32_t rank = 0;
};

using Type = std::uint16_t;
inline constexpr Type kBool = 1;
inline constexpr Type kUint64 = 15;

struct Value {
  Type type = 0;
  union {
    bool flag;
    std::uint64_t number;
    std::array<char, 24> room;  // of the largest
  };
};

struct Info {
  std::array<char, 512> key{};
  std::uint32_t flags = 0;
  Value value{.type = 0, .room = {}};
};

inline constexpr const char* kImmediate = "pmix.immediate";  // what is not there now is not waited for
inline constexpr const char* kCollect = "pmix.collect";      // a fence brings what was committed to all nodes

using Put = Code (*)(Scope scope, const char* key, Value* value);
using Get = Code (*)(const Process* process, const char* key, const Info* infos, std::size_t count, Value** value);
using Commit = Code (*)();
using Fence = Code (*)(const Process* processes, std::size_t count, const Info* infos, std::size_t info_count);
using Done = void (*)(Code code, void* data);
using StartFence = Code (*)(const Process* processes, std::size_t count, const Info* infos, std::size_t info_count,
                            Done done, void* data);

}  // namespace comity::preload::pmix
