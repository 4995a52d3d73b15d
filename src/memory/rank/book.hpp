// SPDX-License-Identifier: BSD-3-Clause
// Book: whose the memory of this rank is over its run. What the hooks know of blocks and mappings at any moment (ledger)
// and what the kernel tells of all pages now and then (attribution) come together: between two of the kernel's answers
// the ledger tells what has changed.
// Not: when it is asked (tracker), where it is kept (record), what the books of many ranks say (job).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/held_mutex.hpp"
#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "memory/rank/beside.hpp"
#include "memory/rank/borders.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/last_held.hpp"
#include "memory/rank/mpi_objects.hpp"
#include "memory/rank/mpi_variables.hpp"
#include "memory/rank/own_ledger.hpp"
#include "memory/rank/paths.hpp"
#include "memory/rank/peaks.hpp"
#include "memory/rank/quick_count.hpp"
#include "memory/rank/settled.hpp"
#include "memory/rank/stocks.hpp"
#include "memory/rank/touches.hpp"
#include "memory/rank/unasked.hpp"
#include "os/threads/aside_stack.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

// Of a component, in bytes.
struct Balance {
  std::int64_t now = 0;
  std::int64_t most = 0;            // of the whole run
  std::int64_t at_start = 0;        // when MPI_Init had ended
  std::int64_t most_asked = 0;      // of blocks and mappings, resident or not
  std::int64_t held = 0;            // the same, now
  std::int64_t most_untouched = 0;  // of small blocks what was known not to be resident, and so counts nowhere
};

// [bytes] Of one moment.
struct Sample {
  std::int64_t total = 0;  // resident
  std::array<std::int64_t, kMostComponents> components{};
  std::int64_t untold = 0;         // of the total what no component is known to have
  std::int64_t virtual_bytes = 0;  // of all mappings, resident or not

  // Of the component that has most. Page tables are beside all that is resident.
  [[nodiscard]] std::int64_t most_of_one() const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (i != static_cast<std::size_t>(Component::page_tables)) most = std::max(most, components[i]);
    }
    return most;
  }
};

// By whom a running process is told to record or not to, and who shows whether it does. They live as long as the process.
struct SwitchSource {
  std::optional<bool> (*wish)() noexcept = []() noexcept -> std::optional<bool> { return std::nullopt; };
  void (*show)(bool on) noexcept = [](bool) noexcept {};
};

// Who writes down what is new of a rank's peaks, behind looks, on any thread.
struct NewsSink {
  void (*tell)() noexcept = []() noexcept {};
};

class Book {
 public:
  // `components` must outlive it. Throws where /proc is missing. Where the hooks are not in the process the kernel alone tells.
  explicit Book(const Components& components, RegionSource regions = {}, CallSource calls = {},
                SwitchSource switches = {}, NewsSink news = {}, TotalSource quick_total = {});
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  // Often, on any thread: some nanoseconds; once a millisecond a microsecond or two, and now and then a look at ranges,
  // which takes a 500th of the time at the most. Behind a call; `where`: its name, which lives as long as the process.
  void glance(std::int64_t now_ns, std::string_view where) noexcept {
    if (now_ns >= due_ns_.load(std::memory_order_relaxed)) return glance_now(now_ns, where);
    passed_ = {where, now_ns};
  }
  // At a border behind which growth is another's: before a call that makes something, before a region begins or ends. True:
  // it was looked, which happens a few thousand times a second at the most.
  bool stop_before(std::int64_t now_ns) noexcept {
    return now_ns >= border_due_ns_.load(std::memory_order_relaxed) && look_at_border(now_ns);
  }
  // Another number once the calling thread has asked for, or given back, some KiB since; always the same where the hooks are not in the process.
  [[nodiscard]] std::uint32_t changes_here() const noexcept { return ledger_ == nullptr ? 0 : ledger_->changes_here(); }
  // Behind the call that stop_before() was true for.
  void look_behind(std::int64_t now_ns, std::string_view where) noexcept { look(now_ns, where); }
  // On a thread of Comity's own, while the program's make no calls; `where`: what the one that is looked at is in. Ranges and totals alone: the kernel
  // is never asked for all mappings, for the program's faults would wait for the answer. None: others are at it, nothing is recorded, or somebody
  // would have more than there is.
  [[nodiscard]] std::optional<Sample> look_from_beside(std::int64_t now_ns, std::string_view where) noexcept;
  // Now and then, on a thread of Comity's own that holds no lock: what places of code hold is read, where that is due.
  void read_held_if_due(std::int64_t now_ns) noexcept;
  // Whether it was since content() or peaks() told.
  [[nodiscard]] bool has_news_of_held() const noexcept { return held_.has_news(); }
  // Whether a peak has risen since peaks() told.
  [[nodiscard]] bool has_news() const noexcept { return has_news_.load(std::memory_order_relaxed); }
  // Whether all has become so much more or less since then that a rank that is killed now would tell what it had at another time. False while nothing is recorded.
  [[nodiscard]] bool has_moved() const noexcept;
  // Off: no look, peak, growth or sample, until it is on again; who says so last is heeded. Blocks are still counted, for
  // they may go when it is on.
  void turn(bool on) noexcept;
  [[nodiscard]] bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  // A region that a thread is in, or a level, begins or has ended: of some visits all mappings are asked, as Borders says, which takes a
  // fraction of a millisecond, more for a large process. On the thread that takes stock.
  void visit_begins(BorderOf whose, RegionNumber region) noexcept;
  void visit_ends(BorderOf whose) noexcept;
  // All pages, by component: milliseconds, more for a large process. By one thread at a time. `behind`: of a call that has ended its name, which lives
  // as long as the process.
  void take_stock(Moment moment, std::string_view behind = {});

  [[nodiscard]] Balance of(Component component) const;
  // For series; compared with one another as behind a look.
  [[nodiscard]] Sample sample() noexcept;
  // [bytes] Resident of all, now.
  [[nodiscard]] std::int64_t total_bytes() const noexcept { return quick_.now(); }
  // What all of the process had when it was loaded.
  void begin_with(const os::Statm& at_load) { stocks_.begin_with(at_load); }
  // With what the delta says, which must outlive this.
  void join(Delta& delta) { delta_ = &delta; }
  [[nodiscard]] Delta* delta() const noexcept { return delta_; }  // null: nobody asked
  // The same of objects of MPI.
  void join(const MpiObjects& objects) { objects_ = &objects; }
  // And of who has touched memory.
  void join(Touches& touches) { touches_ = &touches; }
  // And of what the MPI says of its own.
  void join(MpiVariables& variables) { variables_ = &variables; }
  [[nodiscard]] record::Content content() const { return content(Looks::all); }
  // Of it what the page at the end of a run shows.
  [[nodiscard]] record::Content page() const { return content(Looks::last); }
  // Of it what must not be lost where the rank is killed, and is soon written down.
  [[nodiscard]] record::Content peaks() const;
  [[nodiscard]] const Components& components() const { return components_; }

 private:
  // The last call of this thread that was not looked behind; "": none since its last look.
  struct Passed {
    std::string_view where;
    std::int64_t end_ns = 0;
  };

  // What the hooks know of all components at a look, and what all has then.
  struct Reading {
    Standing standing;
    Peaks::Bytes most{};     // that was resident
    std::int64_t owned = 0;  // of all components' blocks and mappings
  };

  // Of peaks, where the kernel's quick count is off; looks at ranges have as much.
  static constexpr std::int64_t kCreditOfExactCounts_ns = 10'000'000;
  // The same of what nobody asked for.
  static constexpr std::int64_t kCreditOfUnasked_ns = 10'000'000;
  // Of all that is resident, what is much; where others look at what changes, less often.
  static constexpr std::int64_t kMuchOfAll = 64;
  static constexpr std::int64_t kMuchFromBeside = 8;

  [[nodiscard]] record::Content content(Looks looks) const;
  void glance_now(std::int64_t now_ns, std::string_view where) noexcept;
  [[nodiscard]] static std::string_view what_passed(std::int64_t now_ns) noexcept;
  [[nodiscard]] static std::string_view take_passed(std::string_view where) noexcept;
  bool look_at_border(std::int64_t now_ns) noexcept;
  void look(std::int64_t now_ns, std::string_view where) noexcept;
  [[nodiscard]] bool is_on_by_wish() noexcept;
  [[nodiscard]] std::int64_t off_ns() const noexcept;
  [[nodiscard]] bool look_at_ranges(std::int64_t total_bytes) noexcept;
  const Reading& read_ledger(std::int64_t total_bytes) noexcept;
  void look_locked(std::int64_t now_ns, std::string_view where) noexcept;
  void note_peaks(std::int64_t now_ns, std::string_view where) noexcept;
  Peaks::Bytes& with_beside(Peaks::Bytes& owned) const noexcept;
  void end_peaks_until_now(std::string_view where) noexcept;
  void note_peaks_until_now() const noexcept;
  [[nodiscard]] std::int64_t beyond_known(std::int64_t total_bytes, std::int64_t owned_bytes) const noexcept;
  [[nodiscard]] std::int64_t untold_of(std::int64_t total_bytes, std::int64_t owned_bytes) const noexcept;
  void look_at_unasked_at_border() noexcept;
  [[nodiscard]] bool is_off_by(std::int64_t bytes) const noexcept;
  void look_at_unasked(std::int64_t now_ns, std::string_view where, std::int64_t part) noexcept;
  void count_unasked_if_off_by(std::int64_t bytes, std::string_view where) noexcept;
  void note_beside(const Stock& stock, std::string_view where);
  void note_found_peaks() noexcept;
  [[nodiscard]] static LedgerWhere where_now(void* book) noexcept;
  void note_growth(std::string_view where) noexcept;
  void note_held() noexcept;
  [[nodiscard]] BorderLook border_look(const os::PageUse& mapped) const noexcept;
  template <typename Note>
  void look_at_mappings(Note&& note) noexcept;
  void note_stock(const Stock& stock) noexcept;
  void compare_with_total(std::int64_t quick_total) noexcept;
  [[nodiscard]] std::unique_lock<HeldMutex> lock_for_look() noexcept;
  [[nodiscard]] std::optional<Sample> look_from_beside_locked(std::int64_t now_ns, std::string_view where) noexcept;
  [[nodiscard]] bool settle_from_beside(Sample& sample) noexcept;
  void ask_mappings() noexcept;
  [[nodiscard]] os::PageUse mapped_now();
  [[nodiscard]] std::int64_t sure_of(std::int64_t total_bytes, std::int64_t now_ns) noexcept;
  [[nodiscard]] std::int64_t mpi_bytes() const noexcept;
  [[nodiscard]] std::int64_t owned_bytes() const noexcept;  // of all components' blocks and mappings
  [[nodiscard]] std::int64_t most_resident_bytes() const;
  [[nodiscard]] std::int64_t hugetlb_bytes() const noexcept;
  [[nodiscard]] LedgerSum in_ledger(Component component) const;
  [[nodiscard]] std::int64_t now_of(Component component, const LedgerSum& sum) const;
  [[nodiscard]] Sample sample_now() const noexcept;
  [[nodiscard]] record::Table components_table() const;
  [[nodiscard]] record::Table peaks_table() const;
  [[nodiscard]] record::Table rise_table() const;
  [[nodiscard]] record::Table growth_table() const;
  [[nodiscard]] record::Table checks_table() const;

  const Components& components_;
  const Ledger* ledger_;
  Delta* delta_ = nullptr;
  const MpiObjects* objects_ = nullptr;
  Touches* touches_ = nullptr;
  MpiVariables* variables_ = nullptr;
  Stocks stocks_;
  Paths paths_;
  QuickCount quick_;
  Beside beside_;
  // [bytes] What all that is resident has more than components, as of the last look at all pages: shares of others.
  std::atomic<std::int64_t> others_{0};
  std::atomic<std::int64_t> compared_{0};   // how often MPI's memory was compared with all that there is
  std::atomic<std::int64_t> above_{0};      // of them, how often it was more, which cannot be
  std::atomic<std::int64_t> sum_above_{0};  // the same of all that components have
  std::atomic<std::int64_t> undecided_{0};  // and how often nobody could tell, for all mappings were not asked
  // [bytes] By which the kernel's quick count was seen to be below what its mappings tell, at the most.
  std::atomic<std::int64_t> late_bytes_{0};
  std::atomic<std::int64_t> asked_mappings_{0};  // how often, to be sure of an error
  Borders borders_;
  os::AsideStack aside_at_borders_;  // of the thread that takes stock
  bool mappings_are_refused_ = false;
  LastHeld held_;
  RegionSource regions_;
  CallSource calls_;
  SwitchSource switches_;
  NewsSink news_;
  mutable std::atomic<bool> has_news_{false};
  mutable std::atomic<std::int64_t> told_total_{0};  // [bytes] when peaks() told
  std::atomic<bool> is_on_{true};
  std::atomic<bool> is_looked_from_beside_{false};  // now
  static thread_local Passed passed_ __attribute__((tls_model("initial-exec")));
  std::atomic<std::int64_t> due_ns_{0};
  std::atomic<std::int64_t> border_due_ns_{0};
  mutable HeldMutex mutex_;  // guards what follows
  os::AsideStack aside_;     // of whoever looks: the program's stack may be small
  Reading reading_;          // of the look that is at work
  mutable Peaks peaks_;
  mutable Rise rise_;
  LookBudget exact_counts_{kPartOfTime, kCreditOfExactCounts_ns};
  Unasked unasked_;
  LookBudget unasked_looks_{kPartOfTime, kCreditOfUnasked_ns};
  Settled settled_;
  std::int64_t beyond_then_ = 0;             // behind the last count of what nobody asked for
  std::uint32_t looks_before_releases_ = 0;  // of the hooks', whose peaks are noted
  Growth growth_;
  std::int64_t start_ns_ = 0;    // when MPI_Init had ended
  std::int64_t total_then_ = 0;  // when ranges were last looked at because of it
  std::int64_t off_since_ns_ = 0;
  std::int64_t off_ns_ = 0;  // before that
};

// Tables of a record (docs/memory.md).
inline constexpr const char* kComponentsTable = "memory.components";
inline constexpr const char* kChecksTable = "memory.checks";
inline constexpr const char* kTotalSeries = "memory_total_bytes";  // those of components: series.hpp
inline constexpr const char* kMethodFact = "memory method";
inline constexpr const char* kStartFact = "memory start_ns";  // when MPI_Init had ended
inline constexpr const char* kOffFact = "memory off_ns";      // how long nothing was recorded; absent: never
inline constexpr const char* kOwnerMethod = "owner";
inline constexpr const char* kMapsMethod = "maps";  // no hooks: who asked for memory is not known

}  // namespace comity::memory
