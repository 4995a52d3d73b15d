// SPDX-License-Identifier: BSD-3-Clause
// Delta: the rule of older tools, that what changes while a call of MPI lasts is MPI's. It is wrong where the program's
// buffers become resident inside MPI and go outside of it, or the other way round; it is kept so that their tables can be
// compared. What changes while several threads are in MPI counts once, for that one whose call ends first behind it. Two reads of the process's total a call: some microseconds, or with the shares that they added up milliseconds.
// Not: who asked for memory (book).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/held_mutex.hpp"
#include "interpose/subscriber.hpp"
#include "memory/rank/delta_samples.hpp"
#include "os/memory/totals.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

// What the total is: resident pages, or as older tools had it, shares (PSS) added up over all mappings but their own library's.
enum class Measure : std::uint8_t { resident, shares };

class Delta final : public interpose::Subscriber {
 public:
  // `functions`: their numbers are below it. Throws where /proc is missing.
  Delta(std::size_t functions, Measure measure) : measure_(measure), functions_(functions) {}
  virtual ~Delta() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

  void add_to(record::Content& content) const;
  // Samples since they were last told, by time; each is told once.
  template <typename Tell>
  void tell_samples(Tell&& tell) {
    const std::lock_guard lock(mutex_);
    for (const DeltaSample& sample : samples_.all()) tell(sample);
    samples_.clear();
  }

 private:
  struct Function {
    std::atomic<const interpose::Facts*> facts{nullptr};
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> grown_bytes{0};
    std::atomic<std::int64_t> shrunk_bytes{0};
    std::atomic<std::int64_t> impossible{0};
  };

  [[nodiscard]] std::int64_t total_bytes() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> read_total() const noexcept;

  Measure measure_;
  os::OwnStatm statm_;
  std::vector<Function> functions_;
  std::atomic<std::int64_t> mpi_bytes_{0};
  std::atomic<std::int64_t> most_bytes_{0};
  std::atomic<std::int64_t> cost_ns_{0};
  std::atomic<std::int64_t> begin_ns_{0};  // of the first read
  HeldMutex mutex_;                        // guards what follows
  int threads_inside_ = 0;
  std::int64_t total_then_ = 0;  // when the first of them came in, or the last one that has left did
  DeltaSamples samples_;
};

// Tables of a record (docs/memory.md).
inline constexpr const char* kDeltaTable = "memory.delta";
inline constexpr const char* kDeltaCallsTable = "memory.delta_calls";
// And its series: what each sample gave, what there was, and 1 where that cannot be.
inline constexpr const char* kDeltaMpiSeries = "delta_mpi_bytes";
inline constexpr const char* kDeltaTotalSeries = "delta_total_bytes";
inline constexpr const char* kDeltaMarkSeries = "delta_impossible";
inline constexpr const char* kDeltaMethod = "delta";
inline constexpr const char* kDeltaPssMethod = "delta-pss";

}  // namespace comity::memory
