// SPDX-License-Identifier: BSD-3-Clause
// The segment as a format: what stands where in the memory that the ranks of a node share. Fixed-width
// structs, offsets from the start, no pointers. A fresh file is all zeroes; atomics start from there.
// Changing anything here raises kLayoutVersion.
//
//   Header | ParticipantRecord[participants] | hart words[harts] | slots x (GroupRecord |
//   MemberRecord[participants] | words of Turns[participants]) | payload
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cpu_set.hpp"
#include "node/published_helpers.hpp"
#include "node/published_mask.hpp"

namespace comity::node {

inline constexpr std::uint64_t kLayoutMagic = 0x636F6D6974792121;  // "comity!!"
inline constexpr std::uint32_t kLayoutVersion = 12;
inline constexpr std::size_t kLine = 64;  // [bytes] what two writers must not share
inline constexpr std::uint32_t kMostParticipants = 0xFFFE;
inline constexpr std::uint64_t kMostPayload = std::uint64_t{256} << 20U;  // [bytes] memory files know no other limit

using Nonce = std::array<std::uint64_t, 2>;

struct alignas(kLine) Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t participants;
  Nonce nonce;  // tells this segment from whatever else a descriptor number may name
  std::uint64_t id;
  std::uint64_t total_bytes;
  std::uint64_t harts;
  std::uint64_t slots;
  std::uint64_t participants_offset;
  std::uint64_t harts_offset;
  std::uint64_t slots_offset;
  std::uint64_t payload_offset;
  std::uint64_t payload_bytes;
  std::uint32_t told;    // notices that one of the node's ranks has given for all; read and written atomically
  std::uint32_t deaths;  // how many were found dead; read and written atomically
};
static_assert(sizeof(Header) == 128);

struct alignas(kLine) ParticipantRecord {
  std::int32_t pid;                              // in its own pid namespace
  std::atomic<std::uint32_t> receipt_listeners;  // as listeners, of those who listen for receipts too
  std::atomic<std::int64_t> wake_ns;             // running mean of how long its wake-ups took; 0: none measured
  std::atomic<std::uint32_t> bell;               // how often it was rung
  std::atomic<std::uint32_t> listeners;          // at most too many: a listener that is killed stays counted
  std::atomic<std::int64_t> rung_ns;             // when it was rung last
  std::atomic<std::uint32_t> is_rung;            // since it last began to listen
  std::atomic<std::uint32_t> is_lost;            // somebody has found it dead
  std::atomic<std::uint32_t> sleeps_on_wire;     // so its bell is not heard there; one that is killed stays so
  std::atomic<std::uint32_t> rests;              // it waits for long
  std::uint64_t pid_namespace;                   // in which `pid` counts; 0: the kernel did not tell
  std::atomic<std::uint32_t> rest_changes;       // of all, counted by the first
  std::atomic<std::uint32_t> answer_listeners;   // as listeners, of those who listen for answers too
  alignas(kLine) PublishedMask home;             // the mask at attach
  alignas(kLine) PublishedMask current;          // the mask it published last; its word: see whereabouts.cpp
  alignas(kLine) PublishedHelpers helpers;
  alignas(kLine) std::atomic<std::uint32_t> asks;  // Question
  std::atomic<std::uint32_t> askers;               // whose question is to this one; at most too many, as listeners
};
static_assert(sizeof(ParticipantRecord) == 64 + 2 * 576 + 64 + 64);

// A slot holds one group: a set of participants with a barrier.
struct alignas(kLine) GroupRecord {
  std::atomic<std::uint64_t> state;  // SlotState
  std::atomic<std::uint32_t> size;   // members
  std::uint32_t reserved;
  std::atomic<std::uint64_t> turns;                // of a Precedent
  std::atomic<std::uint64_t> finder;               // generation and digest of what stands in `found`
  alignas(kLine) std::atomic<std::uint64_t> word;  // BarrierWord
  std::atomic<std::uint32_t> sleepers;             // at most too many: a sleeper that is killed stays counted
  std::atomic<std::uint32_t> lost;                 // rank that broke the group; valid once the word says broken
  std::atomic<std::int64_t> released_ns;           // when the last barrier was released
  alignas(kLine) std::array<std::atomic<std::uint64_t>, CpuSet::kWords> found;
};
static_assert(sizeof(GroupRecord) == 128 + CpuSet::kCapacity / 8);

enum class Presence : std::uint32_t { none = 0, joined = 1, left = 2 };

struct MemberRecord {
  std::atomic<std::uint32_t> participant;
  std::atomic<Presence> presence;
  std::atomic<std::uint64_t> arrival;                   // generation it arrived at plus one; for messages only
  std::array<std::atomic<std::uint64_t>, 2> exchanged;  // of even and odd generations
};
static_assert(sizeof(MemberRecord) == 32);

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct Extent {
  std::uint64_t participants = 0;
  std::uint64_t harts = 0;
  std::uint64_t payload_bytes = 0;
};

// All sizes and offsets that follow from an extent; magic, version, nonce and id are left to the caller.
[[nodiscard]] Header lay_out(const Extent& extent);

// Bytes of one slot of a segment of so many participants.
[[nodiscard]] std::uint64_t slot_bytes(std::uint64_t participants);

// Throws Status::version with both numbers unless a file of `file_bytes` with this header can be used.
void check_header(const Header& header, std::uint64_t file_bytes);

}  // namespace comity::node
