// SPDX-License-Identifier: BSD-3-Clause
// WatchedRun: this rank's run from MPI_Init to MPI_Finalize. When it begins the collector is told and the record opened; when it
// ends the ranks' records become one, and their figures come together on rank 0, which prints them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/held_mutex.hpp"
#include "base/options.hpp"
#include "interpose/subscriber.hpp"
#include "live/page_writer.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/series.hpp"
#include "metrics/rank/collector.hpp"
#include "metrics/snapshot.hpp"
#include "os/process/fork_mark.hpp"
#include "os/threads/aside_stack.hpp"
#include "preload/figures_file.hpp"
#include "preload/meeting/roll_call.hpp"
#include "preload/recorder.hpp"
#include "preload/regions/region_spans.hpp"
#include "preload/sessions_alone.hpp"
#include "record/clock_alignment.hpp"

namespace comity::preload {

class WatchedRun final : public interpose::Subscriber {
 public:
  // live: null where nobody sees this rank; book: where nobody asks whose its memory is. A plan without a folder: nothing
  // is recorded.
  WatchedRun(const RollCall& roll, metrics::Collector& collector, live::PageWriter* live, memory::Book* book,
             bool prints, RecordPlan plan, const Options& options)
      : roll_(roll),
        collector_(collector),
        live_(live),
        book_(book),
        prints_(prints),
        prints_memory_(book != nullptr),
        plan_(std::move(plan)),
        options_(options),
        figures_file_(options.text(OptionId::metrics_json)),
        spans_(collector.regions()) {}

  virtual ~WatchedRun() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

  // On any thread, as the program tells them.
  void region_begin(const char* name) noexcept;
  void region_end() noexcept;
  void note_memory_at_border() noexcept;
  // The level that is in force, before another one is set, and the new one.
  void level_ends() noexcept;
  void level_begins() noexcept;
  // Whether it is recorded whose the memory is, of the process: so MPI's main thread alone decides.
  void turn_memory(bool on) noexcept;
  // What is known goes to the record now. Does nothing but on MPI's main thread.
  void flush() noexcept;
  // The peaks of memory alone do, soon after they rose. The same.
  void flush_peaks() noexcept;
  // The region that the calling thread is in; of Comity's own thread that of the one that it looks on. Asked inside malloc too.
  [[nodiscard]] static memory::RegionNumber region_here() noexcept;
  // The call that it is in, alike; "": in none.
  [[nodiscard]] static std::string_view call_here() noexcept;
  // The process ends, and MPI_Finalize has not been called: what is known goes to the record, without a word to other ranks.
  void leave(memory::Moment moment) noexcept;
  // In a fork child of the process whose run this is: whatever it would tell nobody is told, and locks of threads that it does not have may be held.
  [[nodiscard]] bool is_of_parent() const noexcept { return mark_.is_lost(); }
  // Whether MPI_Init was seen to end well.
  [[nodiscard]] bool has_seen_begin() const noexcept { return has_seen_begin_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;

  [[nodiscard]] std::unique_lock<HeldMutex> lock_if_free() noexcept;
  void note_region() noexcept;
  [[nodiscard]] std::string_view main_call() const noexcept;
  void start_onlooker();
  [[nodiscard]] bool look_from_beside() noexcept;
  void record_from_beside(std::int64_t now_ns);
  void tell(memory::Delta& delta);
  void tell(const memory::Sample& sample, std::int64_t now_ns, memory::SampleOf of);
  void look_where_begins(memory::BorderOf whose, memory::RegionNumber region) noexcept;
  void look_where_ended(memory::BorderOf whose) noexcept;
  [[nodiscard]] bool looks_at_borders() const noexcept;
  void begin(std::string_view behind);
  void record_first();
  void note_processors();
  void note_processors_at_border() noexcept;
  void record_due(std::int64_t now_ns);
  void tell_what_memory_became();
  void sample_flight(std::int64_t now_ns);
  void sample_memory(std::int64_t now_ns, memory::SampleOf of);
  void take_stock(memory::Moment moment, std::string_view behind = {});
  void record_last(memory::Moment moment);
  [[nodiscard]] record::Content figures_now();
  void record_now();
  void record_clock(record::ClockMoment moment);
  void end();
  [[nodiscard]] bool is_first_of_node() const;
  [[nodiscard]] record::Content figures_to_print();
  void record_as_printed(const record::Content& told);
  void print_figures(const record::Content& mine);

  const RollCall& roll_;
  metrics::Collector& collector_;
  live::PageWriter* live_;
  memory::Book* book_;
  bool prints_;
  bool prints_memory_;
  RecordPlan plan_;
  const Options& options_;
  FiguresFile figures_file_;
  metrics::Level asked_ = metrics::Level::single;  // as MPI_Init does
  metrics::Place place_;
  std::optional<MpiExchange> exchange_;
  std::optional<Recorder> recorder_;
  HeldMutex telling_;                  // held while the main thread asks the book for what it writes down
  os::AsideStack aside_;               // of whoever holds it: the program's stack may be small
  pid_t process_ = 0;                  // that has begun: a fork child has a copy of all this
  os::ForkMark mark_;                  // the same, where a system call is too dear
  std::vector<std::uint32_t> clocks_;  // of all ranks
  SessionsAlone sessions_{
      "the program's sessions are not measured: they have no MPI_COMM_WORLD over which figures of ranks could come "
      "together, and MPI_Init was never called"};
  RegionSpans spans_;
  memory::Series memory_series_;
  std::atomic<std::int64_t> processors_due_ns_{kNever};  // when the main thread looks again which there are
  std::atomic<std::int64_t> due_ns_{0};                  // of MPI's main thread: something is to be recorded
  std::int64_t tables_due_ns_ = 0;
  std::atomic<bool> has_seen_begin_{false};
  // Of MPI's main thread, for the one that looks on while that makes no call.
  live::Seat main_seat_ = nullptr;
  std::atomic<memory::RegionNumber> main_region_{0};
  std::atomic<bool> is_looked_from_beside_{false};  // now
  std::int64_t peaks_due_ns_ = 0;                   // of the thread that looks on
  std::atomic<bool> is_over_{false};
};

}  // namespace comity::preload
