// SPDX-License-Identifier: BSD-3-Clause
// Touches: who has touched which memory first, beside who owns it: from page faults, of which the kernel tells each with its address
// and its code. What the C library and the kernel touch, they touch for MPI inside its calls, and for the program outside.
// Not: who asked for memory (hooks), what is resident (attribution).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/held_mutex.hpp"
#include "interpose/subscriber.hpp"
#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/own_ledger.hpp"
#include "os/memory/fault_ring.hpp"
#include "os/memory/pages.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

class Touches final : public interpose::Subscriber {
 public:
  // Of the calling thread and those that come of it. `components` must outlive it. `is_on`: whether what is told counts now.
  // Throws where the kernel refuses, with what to do.
  Touches(const Components& components, const Ledger* ledger, bool (*is_on)() noexcept);
  virtual ~Touches() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

  // What was touched up to now; by a thread that is between two calls, or behind one. Nothing in a fork child.
  void catch_up() noexcept;
  void add_to(record::Content& content) const;

 private:
  // Where a thread is: another one may read its faults.
  struct Seat {
    std::atomic<pid_t> thread{0};
    std::atomic<const interpose::Facts*> call{nullptr};  // null: in none
  };
  struct Sum {
    std::int64_t bytes = 0;
    std::int64_t faults = 0;
  };
  using Key = std::tuple<std::string_view, Component, Component>;  // call, owner, who touched
  static constexpr std::size_t kMostRows = 1024;                   // beyond them only those of (elsewhere)

  [[nodiscard]] Seat* my_seat() noexcept;
  [[nodiscard]] const interpose::Facts* call_of(pid_t thread) const noexcept;
  void add(const os::FaultRing::Fault& fault);
  [[nodiscard]] Component owner_of(std::uint64_t address) const noexcept;
  [[nodiscard]] Component component_at(std::uint64_t address, Component otherwise) const noexcept;
  [[nodiscard]] Component toucher_of(std::uint64_t code, bool inside) const noexcept;

  const Components& components_;
  const Ledger* ledger_;
  bool (*is_on_)() noexcept;
  pid_t process_;
  std::array<Seat, 256> seats_{};  // threads beyond are taken to be between calls
  std::optional<os::Pagemap> pages_;
  mutable HeldMutex mutex_;  // guards what follows
  os::FaultRing ring_;
  std::vector<os::FaultRing::Fault> faults_;
  std::vector<OwnedRange> owned_;  // when they were read
  std::map<Key, Sum> rows_;
  std::int64_t lost_ = 0;  // faults
};

// A table of a record (docs/memory.md).
inline constexpr const char* kTouchesTable = "memory.touches";
inline constexpr const char* kTouchesFact = "memory touches";  // which faults are told; absent: none
inline constexpr const char* kAllFaults = "all";
inline constexpr const char* kProgramsFaults = "outside system calls";
inline constexpr const char* kNotTold = "(not told)";  // faults that came faster than they were read

}  // namespace comity::memory
