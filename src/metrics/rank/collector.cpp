// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/collector.hpp"

#include <exception>
#include <string>
#include <utility>

#include "live/page_writer.hpp"
#include "metrics/rank/call_clock.hpp"
#include "os/threads/threads.hpp"

namespace comity::metrics {
namespace {

using interpose::Depth;
using interpose::Kind;

// One collector a process: a thread finds its book without asking for whom.
constinit thread_local Book* book_of_this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

// The one that it does not write in: unseen while it collects, its own while it is paused.
constinit thread_local Book* other_book_of_this_thread __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool writes_unseen __attribute__((tls_model("initial-exec"))) = false;

constinit thread_local bool is_main_thread __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local CallClock call_clock __attribute__((tls_model("initial-exec"))){};
constinit thread_local Nesting nesting __attribute__((tls_model("initial-exec"))){};

bool only_asks_the_time(std::string_view name) { return name == "MPI_Wtime" || name == "MPI_Wtick"; }

// As both sides of a message see it.
void add_to_peers(Peers& peers, const interpose::Message& message) {
  if (message.to >= 0) {
    Peer& peer = peers.of(message.to);
    peer.sends.add(message.times);
    peer.sent_bytes.add(message.times * message.sent_bytes);
  }
  if (message.from >= 0) {
    Peer& peer = peers.of(message.from);
    peer.receives.add(message.times);
    peer.received_bytes.add(message.times * message.received_bytes);
  }
}

}  // namespace

Depth Collector::depth(const interpose::Facts& facts) const noexcept {
  if (facts.kind == Kind::begin || facts.kind == Kind::end) return Depth::none;  // not between them
  if (only_asks_the_time(facts.name)) return Depth::calls;
  return detail_ == Detail::times ? Depth::times : Depth::traffic;
}

Book* Collector::my_book() noexcept { return book_of_this_thread != nullptr ? book_of_this_thread : open_my_book(); }

Book* Collector::open_my_book() noexcept {
  book_of_this_thread = books_.open();
  thread_end_.mark_this_thread(this);
  return book_of_this_thread;
}

// Its books and its lane go on with the next thread that comes. Not those of MPI's main thread, which are told apart.
void Collector::end_this_thread(void* /*collector*/) noexcept {
  if (is_main_thread) return;
  for (Book** const book : {&book_of_this_thread, &other_book_of_this_thread}) {
    if (*book != nullptr) Books::leave(*std::exchange(*book, nullptr));
  }
  writes_unseen = false;
  Flight::leave();
  Teams::leave();
}

void Collector::after(const interpose::Event& event) noexcept {
  Book* const book = my_book();
  if (book == nullptr) return;
  Page& page = book->page();
  Cell& cell = page.of(event.facts->number);
  cell.calls.add(1);
  if (!event.succeeded) cell.failed.add(1);
  if (event.sent_bytes != 0) cell.sent_bytes.add(event.sent_bytes);
  if (event.received_bytes != 0) cell.received_bytes.add(event.received_bytes);
  if (event.end_ns != 0) {
    const auto took = static_cast<std::uint64_t>(event.end_ns > event.begin_ns ? event.end_ns - event.begin_ns : 0);
    cell.time_ns.add(took);
    cell.longest_ns.raise_to(took);
    page.add_time(took);
    if (!is_main_thread) stopwatch_.add_inside(call_clock.after_call(event.begin_ns, event.end_ns));
  }
  if (event.to >= 0) {
    Peer& peer = book->peers().of(event.to);
    if (event.facts->kind == Kind::one_sided) {
      peer.puts.add(1);
      peer.put_bytes.add(event.sent_bytes);
    } else if (event.facts->kind != Kind::collective && event.facts->kind != Kind::setup) {
      peer.sends.add(1);
      peer.sent_bytes.add(event.sent_bytes);
    }
  }
  if (event.from >= 0 && event.facts->kind == Kind::one_sided) {
    Peer& peer = book->peers().of(event.from);
    peer.gets.add(1);
    peer.got_bytes.add(event.received_bytes);
  } else if (event.from >= 0 && event.facts->blocking && event.facts->kind != Kind::collective &&
             event.facts->kind != Kind::probe) {  // what a nonblocking one gets: moved()
    Peer& peer = book->peers().of(event.from);
    peer.receives.add(1);
    peer.received_bytes.add(event.received_bytes);
  }
  thread_use_.called(event, *book);
  if (event.end_ns != 0) writes_unseen ? flight_.follow(event) : flight_.saw(event);
}

void Collector::add_own_work(const interpose::Facts& facts, std::int64_t ns) noexcept {
  Book* const book = my_book();
  if (book == nullptr || detail_ != Detail::times || ns <= 0) return;
  Page& page = book->page();
  page.of(facts.number).time_ns.add(static_cast<std::uint64_t>(ns));
  page.add_time(static_cast<std::uint64_t>(ns));
}

void Collector::shared(const interpose::Message& share) noexcept {
  if (Book* const book = my_book()) add_to_peers(book->peers(), share);
}

void Collector::moved(const interpose::Message& message) noexcept {
  Book* const book = my_book();
  if (book == nullptr) return;
  Cell& cell = book->page().of(message.facts->number);
  cell.sent_bytes.add(message.times * message.sent_bytes);
  cell.received_bytes.add(message.times * message.received_bytes);
  add_to_peers(book->peers(), message);
}

void Collector::begin(Level asked, Level provided) noexcept {
  main_thread_.store(static_cast<int>(os::this_thread()), std::memory_order_relaxed);
  is_main_thread = true;
  thread_use_.begun(asked, provided, main_thread(), my_book());
  stopwatch_.start(nesting.innermost());
  if (nesting.paused()) stopwatch_.pause();
}

void Collector::end() noexcept {
  if (is_main_thread) stopwatch_.stop();
}

void Collector::catch_up() noexcept {
  if (is_main_thread) stopwatch_.catch_up();
}

void Collector::turn_to(Region region, bool entering) {
  if (Book* const book = my_book()) book->turn_to(region);
  if (is_main_thread) stopwatch_.turn_to(region, entering);
  live::PageWriter::turn_to(region == kWholeRun ? std::string() : regions_.path(region));
}

// Where memory runs out the region is that around it.
void Collector::region_begin(std::string_view name, std::int64_t now_ns) noexcept {
  try {
    nesting.enter(regions_, name, now_ns);
    turn_to(nesting.innermost(), true);
  } catch (const std::exception&) {
    return;
  }
}

Region Collector::current_region() noexcept { return nesting.innermost(); }

Region Collector::region_inside(std::string_view name) noexcept try {
  return regions_.inside(nesting.innermost(), name);
} catch (const std::exception&) {
  return kWholeRun;
}

const Nesting& Collector::regions_of_this_thread() noexcept { return nesting; }

void Collector::region_end() noexcept {
  if (nesting.in_none()) return;
  try {
    const bool came_out = nesting.leave(regions_);
    turn_to(nesting.innermost(), came_out);
  } catch (const std::exception&) {
    return;
  }
}

void Collector::set_level(int level) noexcept {
  try {
    nesting.set_level(regions_, level);
    if (nesting.paused() && !writes_unseen) pause();
    if (!nesting.paused() && writes_unseen) go_on();
    turn_to(nesting.innermost(), nesting.has_region_of_level());
  } catch (const std::exception&) {
    return;
  }
}

bool Collector::team_begin(const void* code, std::int64_t now_ns) noexcept {
  if (!is_main_thread) return false;
  stopwatch_.team_begin();
  if (!stopwatch_.is_running()) return false;
  teams_.begin(code, now_ns);
  return true;
}

void Collector::team_has(unsigned threads) noexcept {
  if (!is_main_thread) return;
  stopwatch_.team_has(threads);
  teams_.has(threads);
}

void Collector::team_end(std::int64_t now_ns) noexcept {
  if (!is_main_thread) return;
  if (!stopwatch_.is_running()) teams_.drop();
  stopwatch_.team_end();
  teams_.end(now_ns);
}

void Collector::team_member_begins(unsigned index, std::int64_t now_ns) noexcept {
  if (!teams_.member_begins(index, now_ns)) thread_end_.mark_this_thread(this);
}

void Collector::openmp_tells(Waits waits) noexcept {
  openmp_tells_.store(true, std::memory_order_relaxed);
  if (waits == Waits::told) teams_.waits_are_told();
}

// The thread writes in another book, so that calls need not ask whether they count.
void Collector::pause() noexcept {
  Book* const own = my_book();
  if (other_book_of_this_thread == nullptr) other_book_of_this_thread = unseen_.open();
  if (own == nullptr || other_book_of_this_thread == nullptr) return;
  std::swap(book_of_this_thread, other_book_of_this_thread);
  writes_unseen = true;
  if (is_main_thread) stopwatch_.pause();
}

void Collector::go_on() noexcept {
  std::swap(book_of_this_thread, other_book_of_this_thread);
  writes_unseen = false;
  flight_.go_on();
  if (is_main_thread) stopwatch_.go_on(nesting.innermost());
}

}  // namespace comity::metrics
