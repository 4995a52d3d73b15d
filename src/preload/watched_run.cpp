// SPDX-License-Identifier: BSD-3-Clause
#include "preload/watched_run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "coop/tool.hpp"
#include "interpose/function.hpp"
#include "interpose/handles.hpp"
#include "interpose/loaded_mpi.hpp"
#include "os/cpus/affinity.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/kernel.hpp"
#include "os/threads/threads.hpp"
#include "preload/guarded.hpp"
#include "preload/last_page.hpp"
#include "preload/meeting/neighbors.hpp"
#include "preload/run_facts.hpp"
#include "real.hpp"
#include "record/merge/gather.hpp"
#include "record/merge/names.hpp"

namespace comity::preload {
namespace {

using interpose::Depth;
using interpose::Facts;
using metrics::Level;

constexpr std::int64_t kEvery_ns = 2'000'000'000;  // a killed run has its tables no older than that, if it calls MPI
constexpr std::int64_t kEverySample_ns = 100'000'000;
constexpr std::int64_t kEveryLook_ns = 100'000'000;  // at masks of threads, which takes a call or two a thread

Level level_of(int level) {
  if (level == MPI_THREAD_SINGLE) return Level::single;
  if (level == MPI_THREAD_FUNNELED) return Level::funneled;
  if (level == MPI_THREAD_SERIALIZED) return Level::serialized;
  return level == MPI_THREAD_MULTIPLE ? Level::multiple : Level::unknown;
}

Level provided_level() {
  int level = MPI_THREAD_SINGLE;
  return interpose::real::MPI_Query_thread(&level) == MPI_SUCCESS ? level_of(level) : Level::unknown;
}

std::string hex(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

bool is_begin_of_run(const Facts& facts) { return facts.name == "MPI_Init" || facts.name == "MPI_Init_thread"; }
bool is_end_of_run(const Facts& facts) { return facts.name == "MPI_Finalize"; }
bool is_abort(const Facts& facts) { return facts.name == "MPI_Abort"; }

// Where calls are counted only, nobody has looked at the clock: then the cheap one tells whether something is due.
std::int64_t end_of(const interpose::Event& event) { return event.end_ns != 0 ? event.end_ns : os::coarse_now_ns(); }

// Once a job, where ranks can be told apart.
void tell_of_who_is_missing(const RollCall& roll, Plan plan, const std::string& what) {
  const std::vector<int> ranks = roll.those_with(plan).ranks;
  if (ranks.empty() ? !interpose::may_speak_for_the_job() : ranks.front() != roll.rank()) return;
  const std::string most = ranks.empty() ? "nobody can tell whether all ranks take part"
                                         : std::to_string(static_cast<std::size_t>(roll.size()) - ranks.size()) +
                                               " of " + std::to_string(roll.size()) + " ranks take no part";
  log::warning("preload", what + ": " + most + ". Let all ranks load Comity's library, with the same settings");
}

}  // namespace

Depth WatchedRun::depth(const Facts& facts) const noexcept {
  if (is_begin_of_run(facts) || is_end_of_run(facts)) return Depth::times;
  if (SessionsAlone::looks_at(facts)) return Depth::calls;
  if (plan_.folder.empty()) return Depth::none;
  return collector_.detail() == metrics::Detail::times ? Depth::times : Depth::calls;
}

bool WatchedRun::announces(const Facts& facts) const noexcept {
  return is_end_of_run(facts) || is_abort(facts) || facts.name == "MPI_Init_thread";
}

void WatchedRun::after(const interpose::Event& event) noexcept {
  sessions_.after(event);
  if (is_begin_of_run(*event.facts) && event.succeeded) {
    has_seen_begin_.store(true, std::memory_order_relaxed);
    guarded("the run is not measured", [&] { begin(event.facts->name); });
  } else if (recorder_) {
    const std::int64_t now = end_of(event);
    if (now >= due_ns_.load(std::memory_order_relaxed) && os::this_thread() == collector_.main_thread()) {
      const std::int64_t begin_ns = now_ns();
      const std::lock_guard lock(telling_);
      aside_.run([&] { guarded("the record is not brought up to date", [&] { record_due(now); }); });
      collector_.add_own_work(*event.facts, now_ns() - begin_ns);
    }
  }
  if (live_ != nullptr && is_end_of_run(*event.facts) && event.succeeded) live_->end();
}

void WatchedRun::flush() noexcept {
  if (!exchange_ || os::this_thread() != collector_.main_thread()) return;
  const std::lock_guard lock(telling_);
  aside_.run([&] {
    take_stock(memory::Moment::asked);
    if (recorder_) guarded("the record is not brought up to date", [&] { record_now(); });
  });
}

void WatchedRun::flush_peaks() noexcept {
  if (!recorder_ || os::this_thread() != collector_.main_thread()) return;
  const std::lock_guard lock(telling_);
  aside_.run([&] {
    guarded("the peaks of memory are not recorded", [&] {
      if (!recorder_->put(book_->peaks())) record_now();  // which puts other things in short
    });
  });
}

// Where the main thread is at the record it has its last state. A handler of a signal that ends the process may have stopped this thread at
// anything of ours, which it will not go on with: then what was told before remains, for to tell more would be to wait for ourselves.
void WatchedRun::leave(memory::Moment moment) noexcept {
  if (HeldMutex::this_thread_holds_one() || process_ != os::process_id()) return;
  is_over_.store(true, std::memory_order_relaxed);
  const std::unique_lock lock = lock_if_free();
  if (!lock || !recorder_) return;
  process_ = 0;
  aside_.run([&] { guarded("the last figures of this rank are lost", [&] { record_last(moment); }); });
}

// Of metrics only the main thread can tell.
void WatchedRun::record_last(memory::Moment moment) {
  take_stock(moment);
  if (os::this_thread() == collector_.main_thread()) {
    spans_.end_all(metrics::Collector::regions_of_this_thread(), now_ns(), *recorder_);
    record_now();
  } else if (book_ != nullptr) {
    recorder_->put(book_->content());
  }
  sample_memory(now_ns(), memory::SampleOf::end);
  record::Content facts;
  facts.facts[record::kEndFact] = moment == memory::Moment::at_abort ? "MPI_Abort" : "exit without MPI_Finalize";
  recorder_->put(facts);
}

void WatchedRun::before(const interpose::Call& call) noexcept {
  if (is_end_of_run(*call.facts)) {
    guarded("the figures of this rank are lost", [&] { end(); });
  } else if (is_abort(*call.facts)) {
    leave(memory::Moment::at_abort);
  } else {
    asked_ = level_of(call.level);
  }
}

void WatchedRun::begin(std::string_view behind) {
  if (exchange_) return;
  const std::lock_guard lock(telling_);
  process_ = os::process_id();
  guarded("fork children that tell of regions may wait for ever", [&] { mark_.set(); });
  const auto all_will = [&](Plan plan, const char* loss) {
    if (!roll_.of_all().has(plan)) tell_of_who_is_missing(roll_, plan, loss);
    return roll_.of_all().has(plan);
  };
  if (!all_will(Plan::measures, "the run is not measured")) return;
  if (!plan_.folder.empty() && !all_will(Plan::records, "the run is not recorded")) plan_.folder.clear();
  prints_ = prints_ && all_will(Plan::prints, "the page of the run is not printed");
  prints_memory_ = prints_memory_ && all_will(Plan::remembers, "the page of the ranks' memory is not printed");
  figures_file_.leave_to_parents();
  exchange_.emplace();
  log::set_rank(exchange_->rank());
  const std::vector<std::uint32_t> nodes = nodes_of(*exchange_);
  plan_.node_of_rank = nodes;
  place_.rank = exchange_->rank();
  place_.node = static_cast<int>(nodes[static_cast<std::size_t>(place_.rank)]);
  place_.host = os::host_name();
  place_.binding = os::affinity(os::process_id());
  place_.node_cpus = place_.binding;
  note_processors();
  const std::uint64_t job = exchange_->first_of(os::random_number());
  if (live_ != nullptr) {
    if (book_ != nullptr) live_->show(book_->is_on() ? live::Recording::on : live::Recording::off);
    live_->begin({job, static_cast<std::uint32_t>(exchange_->rank()), static_cast<std::uint32_t>(exchange_->size()),
                  mpi_version()});
  }
  if (!plan_.folder.empty()) {
    plan_.job = hex(job);
    plan_.who = {static_cast<std::uint32_t>(place_.rank), static_cast<std::uint32_t>(exchange_->size()),
                 static_cast<std::uint32_t>(place_.node)};
    recorder_.emplace(plan_, *exchange_);
    record::Content header;
    header.facts = run_facts(options_, place_.binding, plan_.budget_bytes);
    recorder_->put(header);
    clocks_ = clocks_of(*exchange_);
    record_clock(record::ClockMoment::begin);
  }
  processors_due_ns_.store(0, std::memory_order_relaxed);
  take_stock(memory::Moment::after_init, behind);
  collector_.begin(asked_, provided_level());
  if (!recorder_) return;
  record_first();
  if (book_ != nullptr) start_onlooker();
}

// A rank that is killed before its first call has ended has left figures too. Short runs have samples at both ends: between them ranks
// are there at once.
void WatchedRun::record_first() {
  record_now();
  sample_memory(now_ns(), memory::SampleOf::run);
  due_ns_.store(now_ns() + kEverySample_ns, std::memory_order_relaxed);
  tables_due_ns_ = now_ns() + kEvery_ns;
}

void WatchedRun::record_due(std::int64_t now_ns) {
  due_ns_.store(now_ns + kEverySample_ns, std::memory_order_relaxed);
  sample_flight(now_ns);
  sample_memory(now_ns, memory::SampleOf::run);
  if (now_ns < tables_due_ns_) return tell_what_memory_became();
  tables_due_ns_ = now_ns + kEvery_ns;
  record_now();
}

// Peaks are told when they rise, and go with what there is then. What came after them counts too where the rank is killed.
void WatchedRun::tell_what_memory_became() {
  if (book_ != nullptr && book_->has_moved()) (void)recorder_->put(book_->peaks());
}

void WatchedRun::sample_flight(std::int64_t now_ns) {
  if (collector_.detail() != metrics::Detail::times) return;
  const metrics::Flight::Sample sample = collector_.flight().sample();
  recorder_->sample(metrics::kInFlightSeries, now_ns, static_cast<double>(sample.most_in_flight));
  recorder_->sample(metrics::kGapSeries, now_ns, static_cast<double>(sample.longest_gap_ns));
}

void WatchedRun::sample_memory(std::int64_t now_ns, memory::SampleOf of) {
  if (book_ == nullptr || !book_->is_on()) return;
  tell(book_->sample(), now_ns, of);
}

void WatchedRun::tell(const memory::Sample& sample, std::int64_t now_ns, memory::SampleOf of) {
  memory_series_.note(sample, book_->components(), of, [&](const char* series, std::int64_t bytes) {
    recorder_->sample(series, now_ns, static_cast<double>(bytes));
  });
  if (memory::Delta* const delta = book_->delta()) tell(*delta);
}

// None that cannot be is left out: it is marked.
void WatchedRun::tell(memory::Delta& delta) {
  delta.tell_samples([&](const memory::DeltaSample& sample) {
    recorder_->sample(memory::kDeltaMpiSeries, sample.time_ns, static_cast<double>(sample.mpi));
    recorder_->sample(memory::kDeltaTotalSeries, sample.time_ns, static_cast<double>(sample.total));
    recorder_->sample(memory::kDeltaMarkSeries, sample.time_ns, sample.is_impossible() ? 1 : 0);
  });
}

void WatchedRun::take_stock(memory::Moment moment, std::string_view behind) {
  if (book_ != nullptr) guarded("whose the memory is now is not told", [&] { book_->take_stock(moment, behind); });
}

// Threads may have masks of their own, and get others as the program moves them.
void WatchedRun::note_processors() { place_.node_cpus |= os::cpus_of_threads(); }

void WatchedRun::note_processors_at_border() noexcept {
  const std::int64_t now_ns = os::coarse_now_ns();
  if (now_ns < processors_due_ns_.load(std::memory_order_relaxed)) return;
  if (os::this_thread() != collector_.main_thread()) return;
  processors_due_ns_.store(now_ns + kEveryLook_ns, std::memory_order_relaxed);
  guarded("the processors of this rank's threads are not looked at", [&] { note_processors(); });
}

record::Content WatchedRun::figures_now() {
  place_.waits_asleep = coop::is_at_work();
  place_.spins_in = &coop::spins_in;
  return metrics::snapshot(collector_, interpose::kFacts, place_);
}

void WatchedRun::record_now() {
  note_processors();
  collector_.catch_up();
  recorder_->put(figures_now(), book_ != nullptr ? book_->content() : record::Content{});
  recorder_->sample("process_cpu_ns", now_ns(), static_cast<double>(os::process_cpu_ns()));
}

// All ranks do, also those that leave no record.
void WatchedRun::record_clock(record::ClockMoment moment) {
  record::Content facts;
  facts.facts = record::clock_facts(moment, record::read_clock(*exchange_, clocks_, now_ns));
  recorder_->put(facts);
}

void WatchedRun::end() {
  if (!exchange_ || is_of_parent()) return;
  is_over_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(telling_);
  collector_.end();
  processors_due_ns_.store(kNever, std::memory_order_relaxed);
  note_processors();
  take_stock(memory::Moment::at_end);
  if (recorder_) record_now();
  const record::Content told = prints_ || prints_memory_ ? figures_to_print() : record::Content{};
  if (recorder_) {
    if (prints_memory_) record_as_printed(told);
    sample_flight(now_ns());
    sample_memory(now_ns(), memory::SampleOf::end);
    spans_.end_all(metrics::Collector::regions_of_this_thread(), now_ns(), *recorder_);
    record_clock(record::ClockMoment::end);
    recorder_->finish(*exchange_);
    recorder_.reset();
  }
  if (prints_ || prints_memory_) print_figures(told);
  exchange_.reset();
}

bool WatchedRun::is_first_of_node() const {
  const auto first =
      std::find(plan_.node_of_rank.begin(), plan_.node_of_rank.end(), static_cast<std::uint32_t>(place_.node));
  return first - plan_.node_of_rank.begin() == place_.rank;
}

// Of both pages, or one, by what all ranks have agreed on.
record::Content WatchedRun::figures_to_print() {
  record::Content mine = prints_ ? figures_now() : record::Content{};
  if (prints_memory_) {
    record::Content of_memory = book_->page();
    if (!is_first_of_node()) of_memory.tables.erase(memory::kNodeTable);
    mine.facts.merge(of_memory.facts);
    mine.tables.merge(of_memory.tables);
    mine.facts[record::kHostFact] = place_.host;
    mine.facts[record::kNodeFact] = std::to_string(place_.node);
  }
  return mine;
}

// Writing the record down has taken memory, and merging ranks' records takes more: page and record tell the same of Comity's own.
void WatchedRun::record_as_printed(const record::Content& told) {
  record::Content components;
  const auto found = told.tables.find(memory::kComponentsTable);
  if (found == told.tables.end()) return;
  components.tables.insert(*found);
  recorder_->put(std::move(components));
}

void WatchedRun::print_figures(const record::Content& mine) {
  const std::vector<record::Bytes> all = record::gather(*exchange_, plan_.node_of_rank, record::encode(mine));
  if (exchange_->rank() != record::kGatherer) return;
  const bool writes = prints_ && figures_file_.is_wanted();
  const LastPage page(all, prints_ ? MetricsToo::yes : MetricsToo::no,
                      writes ? metrics::Messages::told : metrics::Messages::untold);
  std::fputs(page.text().c_str(), stderr);
  if (!writes) return;
  guarded("the figures are on the page alone",
          [&] { figures_file_.write(page.json(run_facts(options_, place_.binding, plan_.budget_bytes))); });
}

}  // namespace comity::preload
