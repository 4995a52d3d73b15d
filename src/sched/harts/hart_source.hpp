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

  // What a thread of the process that is no hart says before it works on a CPU, and after.
  void want(std::size_t cpu) noexcept { wanted_[cpu].fetch_add(1, std::memory_order_relaxed); }
  void want_no_more(std::size_t cpu) noexcept { wanted_[cpu].fetch_sub(1, std::memory_order_relaxed); }

 private:
  CpuSet cpus_;
  std::vector<int> nodes_;                                              // by CPU
  std::vector<int> speeds_;                                             // by CPU; empty: all alike
  std::array<std::atomic<std::uint16_t>, CpuSet::kCapacity> wanted_{};  // [threads]
};

}  // namespace comity::sched
