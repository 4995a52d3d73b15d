// SPDX-License-Identifier: BSD-3-Clause
// Source: 003_468943038a8a97cc.txt, equation 4.1.
#include "memory/rank/delta.hpp"

#include <string>

#include "base/clock.hpp"
#include "os/memory/pss_sum.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

bool only_asks_the_time(std::string_view name) { return name == "MPI_Wtime" || name == "MPI_Wtick"; }

// The libraries that watch, as older tools left out theirs.
bool is_our_library(std::string_view name) noexcept {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  return file.starts_with("libcomity_memory.so") || file.starts_with("libcomity_preload-");
}

void raise(std::atomic<std::int64_t>& most, std::int64_t now) noexcept {
  std::int64_t known = most.load(std::memory_order_relaxed);
  while (now > known && !most.compare_exchange_weak(known, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

interpose::Depth Delta::depth(const interpose::Facts& facts) const noexcept {
  return facts.kind == interpose::Kind::end || only_asks_the_time(facts.name) ? interpose::Depth::none
                                                                              : interpose::Depth::calls;
}

bool Delta::announces(const interpose::Facts& facts) const noexcept { return depth(facts) != interpose::Depth::none; }

std::int64_t Delta::total_bytes() noexcept {
  const std::int64_t begin_ns = now_ns();
  const std::optional<std::uint64_t> now = read_total();
  cost_ns_.fetch_add(now_ns() - begin_ns, std::memory_order_relaxed);
  std::int64_t never = 0;
  (void)begin_ns_.compare_exchange_strong(never, begin_ns, std::memory_order_relaxed);
  return static_cast<std::int64_t>(now.value_or(0));
}

std::optional<std::uint64_t> Delta::read_total() const noexcept {
  if (measure_ == Measure::shares) return os::own_pss_without(&is_our_library);
  const std::optional<os::Statm> now = statm_.read();
  return now ? std::optional(now->resident_bytes) : std::nullopt;
}

void Delta::before(const interpose::Call& /*call*/) noexcept {
  const std::lock_guard lock(mutex_);
  if (threads_inside_++ == 0) total_then_ = total_bytes();
}

// A sample that cannot be, in which MPI would have more than there is or less than nothing, is kept, for the rule gives it, and
// marked.
void Delta::after(const interpose::Event& event) noexcept {
  const std::lock_guard lock(mutex_);
  const std::int64_t total = total_bytes();
  const std::int64_t change = total - total_then_;
  total_then_ = total;
  --threads_inside_;
  Function& function = functions_[event.facts->number];
  function.facts.store(event.facts, std::memory_order_relaxed);
  function.calls.fetch_add(1, std::memory_order_relaxed);
  (change > 0 ? function.grown_bytes : function.shrunk_bytes)
      .fetch_add(change > 0 ? change : -change, std::memory_order_relaxed);
  const std::int64_t mpi = mpi_bytes_.fetch_add(change, std::memory_order_relaxed) + change;
  raise(most_bytes_, mpi);
  const DeltaSample sample{now_ns(), mpi, total};
  samples_.add(sample);
  if (sample.is_impossible()) function.impossible.fetch_add(1, std::memory_order_relaxed);
}

void Delta::add_to(record::Content& content) const {
  record::Table calls(kDeltaCallsTable, {{"function", ColumnKind::text},
                                         {"calls", ColumnKind::integer},
                                         {"grown_bytes", ColumnKind::integer},
                                         {"shrunk_bytes", ColumnKind::integer},
                                         {"impossible_calls", ColumnKind::integer}});
  std::int64_t samples = 0;
  std::int64_t impossible = 0;
  for (const Function& function : functions_) {
    const interpose::Facts* const facts = function.facts.load(std::memory_order_relaxed);
    if (facts == nullptr) continue;
    samples += function.calls.load(std::memory_order_relaxed);
    impossible += function.impossible.load(std::memory_order_relaxed);
    calls.add_row({std::string(facts->name), function.calls.load(std::memory_order_relaxed),
                   function.grown_bytes.load(std::memory_order_relaxed),
                   function.shrunk_bytes.load(std::memory_order_relaxed),
                   function.impossible.load(std::memory_order_relaxed)});
  }
  record::Table all(kDeltaTable, {{"method", ColumnKind::text},
                                  {"peak_bytes", ColumnKind::integer},
                                  {"last_bytes", ColumnKind::integer},
                                  {"samples", ColumnKind::integer},
                                  {"impossible_samples", ColumnKind::integer},
                                  {"cost_ns", ColumnKind::integer},
                                  {"elapsed_ns", ColumnKind::integer}});
  const std::int64_t begin_ns = begin_ns_.load(std::memory_order_relaxed);
  all.add_row({std::string(measure_ == Measure::shares ? kDeltaPssMethod : kDeltaMethod),
               most_bytes_.load(std::memory_order_relaxed), mpi_bytes_.load(std::memory_order_relaxed), samples,
               impossible, cost_ns_.load(std::memory_order_relaxed), begin_ns == 0 ? 0 : now_ns() - begin_ns});
  content.tables.emplace(calls.name(), std::move(calls));
  content.tables.emplace(all.name(), std::move(all));
}

}  // namespace comity::memory
