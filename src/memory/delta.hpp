// SPDX-License-Identifier: BSD-3-Clause
// Delta: the rule of older tools, that what changes while a call of MPI lasts is MPI's. It is wrong where the program's
// buffers become resident inside MPI and go outside of it, or the other way round; it is kept so that their tables can be
// compared. Two reads of the process's total a call: some microseconds. Not: who asked for memory (book).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interpose/subscriber.hpp"
#include "os/memory/totals.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

class Delta final : public interpose::Subscriber {
 public:
  // `functions`: their numbers are below it. Throws where /proc is missing.
  explicit Delta(std::size_t functions) : functions_(functions) {}
  virtual ~Delta() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

  void add_to(record::Content& content) const;

 private:
  struct Function {
    std::atomic<const interpose::Facts*> facts{nullptr};
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> grown_bytes{0};
    std::atomic<std::int64_t> shrunk_bytes{0};
  };

  [[nodiscard]] std::int64_t total_bytes() noexcept;

  os::OwnStatm statm_;
  std::vector<Function> functions_;
  std::atomic<std::int64_t> mpi_bytes_{0};
  std::atomic<std::int64_t> most_bytes_{0};
  std::atomic<std::int64_t> impossible_{0};  // samples in which MPI would have more than there is, or less than nothing
  std::atomic<std::int64_t> cost_ns_{0};
};

// Tables of a record (docs/memory.md).
inline constexpr const char* kDeltaTable = "memory.delta";
inline constexpr const char* kDeltaCallsTable = "memory.delta_calls";

}  // namespace comity::memory
