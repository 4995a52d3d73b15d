// SPDX-License-Identifier: BSD-3-Clause
// HartSource: where a process has the CPUs from that its harts run on, and whether somebody else wants one. OwnCpus is the
// plainest: the CPUs that the process was started on. Not: who runs on a hart (scheduler).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::sched {

class HartSource {
 public:
  HartSource() = default;
  HartSource(const HartSource&) = delete;
  HartSource& operator=(const HartSource&) = delete;
  virtual ~HartSource() = default;

  [[nodiscard]] virtual CpuSet cpus() const = 0;  // at most one hart for each
  // Somebody else has work for that CPU: an idle hart leaves it. Asked in every look of one that spins.
  [[nodiscard]] virtual bool wanted(std::size_t cpu) const noexcept = 0;
  // The NUMA node of that CPU: harts of one node steal from one another first.
  [[nodiscard]] virtual int node_of(std::size_t /*cpu*/) const noexcept { return 0; }
  // How fast that CPU is beside the others, which may be any number for the fastest: who is faster steals more at once.
  [[nodiscard]] virtual int speed_of(std::size_t /*cpu*/) const noexcept { return 1; }
  virtual void taken(std::size_t cpu) noexcept = 0;     // a hart begins to run there
  virtual void returned(std::size_t cpu) noexcept = 0;  // it sleeps now
};

class OwnCpus : public HartSource {
 public:
  OwnCpus();  // those that the calling thread may use

  [[nodiscard]] CpuSet cpus() const override { return cpus_; }
  [[nodiscard]] bool wanted(std::size_t cpu) const noexcept override {
    return wanted_[cpu].load(std::memory_order_relaxed) > 0;
  }
  [[nodiscard]] int node_of(std::size_t cpu) const noexcept override { return cpu < nodes_.size() ? nodes_[cpu] : 0; }
  [[nodiscard]] int speed_of(std::size_t cpu) const noexcept override {
    return cpu < speeds_.size() ? speeds_[cpu] : 1;
  }
  void taken(std::size_t) noexcept override {}
  void returned(std::size_t) noexcept override {}

  // What a thread of the process that is no hart says before it works on a CPU, and after; false: as many do as can be counted,
  // or nobody does.
  bool want(std::size_t cpu) noexcept { return count(cpu, 1, kMostWanting); }
  bool want_no_more(std::size_t cpu) noexcept { return count(cpu, -1, 0); }

 private:
  static constexpr std::uint16_t kMostWanting = 65'535;

  // One more or fewer, but not of that number.
  bool count(std::size_t cpu, int change, std::uint16_t not_of) noexcept {
    std::uint16_t now = wanted_[cpu].load(std::memory_order_relaxed);
    while (now != not_of) {
      const auto then = static_cast<std::uint16_t>(now + change);
      if (wanted_[cpu].compare_exchange_weak(now, then, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  CpuSet cpus_;
  std::vector<int> nodes_;                                              // by CPU
  std::vector<int> speeds_;                                             // by CPU; empty: all alike
  std::array<std::atomic<std::uint16_t>, CpuSet::kCapacity> wanted_{};  // [threads]
};

}  // namespace comity::sched
