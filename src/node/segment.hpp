// SPDX-License-Identifier: BSD-3-Clause
// Segment: one mapped node segment, typed access to its parts. Invariant: its header passed check_header().
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "node/layout.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/mapping.hpp"

namespace comity::node {

class Segment {
 public:
  Segment() = default;
  // Writes header and payload into a fresh, zeroed file of lay_out(extent).total_bytes and maps it.
  [[nodiscard]] static Segment format(const os::Descriptor& file, const Extent& extent, const Nonce& nonce,
                                      std::span<const std::byte> payload);
  // Maps a file that another process formatted. Throws Status::version when it is of another layout.
  [[nodiscard]] static Segment open(const os::Descriptor& file);

  [[nodiscard]] const Header& header() const { return *at<Header>(0); }
  [[nodiscard]] std::atomic_ref<std::uint32_t> told() const { return std::atomic_ref(at<Header>(0)->told); }
  [[nodiscard]] std::atomic_ref<std::uint32_t> deaths() const { return std::atomic_ref(at<Header>(0)->deaths); }
  [[nodiscard]] int participants() const { return static_cast<int>(header().participants); }
  [[nodiscard]] ParticipantRecord& participant(int index) const {
    return at<ParticipantRecord>(header().participants_offset)[index];
  }
  [[nodiscard]] std::span<std::atomic<std::uint64_t>> harts() const {
    return {at<std::atomic<std::uint64_t>>(header().harts_offset), header().harts};
  }
  [[nodiscard]] std::size_t slots() const { return header().slots; }
  [[nodiscard]] GroupRecord& group(std::size_t slot) const { return *at<GroupRecord>(slot_offset(slot)); }
  [[nodiscard]] MemberRecord* members(std::size_t slot) const {  // of group(slot); participants() of them
    return at<MemberRecord>(slot_offset(slot) + sizeof(GroupRecord));
  }
  [[nodiscard]] std::atomic<std::uint64_t>* turns(std::size_t slot) const {  // of its members
    return at<std::atomic<std::uint64_t>>(slot_offset(slot) + sizeof(GroupRecord) +
                                          header().participants * sizeof(MemberRecord));
  }
  [[nodiscard]] std::span<const std::byte> payload() const { return room(); }
  [[nodiscard]] std::span<std::byte> room() const {  // the same, where its participants write
    return memory_.bytes().subspan(header().payload_offset, header().payload_bytes);
  }

 private:
  explicit Segment(os::Mapping memory) : memory_(std::move(memory)) {}

  template <typename Record>
  [[nodiscard]] Record* at(std::uint64_t offset) const {
    return reinterpret_cast<Record*>(memory_.bytes().data() + offset);
  }
  [[nodiscard]] std::uint64_t slot_offset(std::size_t slot) const {
    return header().slots_offset + slot * slot_bytes(header().participants);
  }

  os::Mapping memory_;
};

}  // namespace comity::node
