// SPDX-License-Identifier: BSD-3-Clause
// Scheduler: who decides what the harts do that it was given: run a fiber, lend the hart to a child scheduler, or give it back
// to the parent. Schedulers nest to any depth. The callbacks are those of Lithe (004_... section 2), but that a scheduler
// says what is next where Lithe's never return, and that a hart stays the hart of the fibers that have run on it.
// Not: harts themselves (hart), how fibers wait for one another (waiter and what stands on it).
// Invariants: a hart is in one scheduler at a time; given = harts that are in it or were lent on by it; a Lane is touched by
// its hart alone.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/fibers/fiber.hpp"
#include "sched/harts/demand.hpp"
#include "sched/harts/lingerers.hpp"
#include "sched/waiting/spin_lock.hpp"

namespace comity::sched {

class Scheduler;
class Stealing;
class Substrate;

// What a scheduler has of one hart.
struct alignas(64) Lane {
  FiberList ready;  // fibers that can go on, and can do so here alone or need not do so elsewhere
  Scheduler* scheduler = nullptr;
  Hart* hart = nullptr;
  Lane* parent = nullptr;  // of the parent scheduler and the same hart
  Lane* due = nullptr;     // lanes of children where fibers can go on, on this hart alone
  Lane* next_due = nullptr;
  std::atomic<bool> is_due{false};  // in the parent's list; the scheduler does not end before it is out
  bool child_has_turn = false;
  bool shared_has_turn = false;
  std::uint8_t turn = 0;
  std::uint8_t in_a_row = 0;
  std::atomic<std::uint64_t> fibers_made{0};   // written by this hart alone
  std::atomic<std::uint64_t> fibers_ended{0};  // the same

  static void count_up(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

// What a hart does next.
struct Next {
  enum class What : std::uint8_t { run, lend, give_back };
  What what;
  Fiber* fiber = nullptr;      // run: it
  Scheduler* child = nullptr;  // lend: to that one
  bool claimed = false;        // lend: because the child asked for a hart

  [[nodiscard]] static Next run(Fiber& fiber) { return {What::run, &fiber}; }
  [[nodiscard]] static Next give_back() { return {What::give_back}; }
};

class Scheduler {
 public:
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  [[nodiscard]] Scheduler* parent() const noexcept { return parent_; }
  [[nodiscard]] int harts_given() const noexcept { return given_.load(std::memory_order_relaxed); }
  [[nodiscard]] int harts_wanted() const noexcept { return demand_.wanted(); }
  // By schedulers right below, who may ask for harts that have come here for another reason.
  [[nodiscard]] bool is_asked() const noexcept { return demand_.is_asked(); }

  // Asks the parent for so many harts more than are here and were asked for; negative: no longer. They trickle in.
  void request(int harts) noexcept;

  // A fiber of this scheduler, made by anybody; the name is for messages. It is joined once, or not at all.
  // Where it never moves it goes on on the hart that began it; else on any after a wait, as long as its work keeps nothing
  // thread-local over one.
  Fiber& spawn(Fiber::Entry entry, void* argument, std::string_view name = {}, Fiber::End end = Fiber::End::joined,
               Fiber::Moves moves = Fiber::Moves::never);
  // The same, begun by that hart and no other. Any thread.
  Fiber& spawn_on(Hart& hart, Fiber::Entry entry, void* argument);

  // Itself where it knows tasks that have no stack yet; null: each task is a fiber from its start.
  [[nodiscard]] Stealing* stealing() const noexcept { return stealing_; }

 protected:
  friend class Hart;
  friend class Substrate;
  template <typename Kind>
  friend class Entered;

  explicit Scheduler(Scheduler& parent, Stealing* stealing = nullptr);

  // On a hart, between fibers: a hart has come or has become free. Claimed fibers and children are gone from their lists.
  // As it stands: fibers bound to this hart, children that ask and were entered here, fibers that any hart may begin, other
  // children that ask; seldom another of these first, by turns. If there are none, back to the parent.
  [[nodiscard]] virtual Next hart_granted(Lane& lane);
  // A child asks for harts, or cancels. Any thread.
  virtual void hart_requested(Scheduler& child, int harts) noexcept;
  // A child has given a hart back; hart_granted() comes next.
  virtual void hart_returned(Scheduler& /*child*/, Lane& /*lane*/) noexcept {}
  virtual void child_entered(Scheduler& /*child*/) {}
  virtual void child_exited(Scheduler& /*child*/) noexcept {}

  // A fiber that has not run. From a fiber of this scheduler on the lane's hart.
  virtual void fiber_made(Lane& lane, Fiber& fiber) noexcept = 0;
  // The rest on the fiber's own hart, whatever scheduler that is in. One that may move is not told as unblocked: it is shared.
  virtual void fiber_blocked(Lane& /*lane*/, Fiber& /*fiber*/) noexcept {}
  virtual void fiber_unblocked(Lane& lane, Fiber& fiber) noexcept { lane.ready.push(fiber); }
  virtual void fiber_yielded(Lane& lane, Fiber& fiber) noexcept { lane.ready.push(fiber); }
  virtual void fiber_finished(Lane& /*lane*/, Fiber& /*fiber*/) noexcept {}
  // Right after one of these: the fiber to switch to without a look at anything else; null: hart_granted() decides.
  [[nodiscard]] virtual Fiber* next_fiber(Lane& lane) noexcept { return lane.ready.pop(); }

  // Whether there is something for which this hart must come back when it is called away: nobody asks for it otherwise.
  [[nodiscard]] virtual bool has_bound(const Lane& lane) const noexcept {
    return !lane.ready.empty() || lane.due != nullptr || has_shared();
  }

  // Whether a hart that has found nothing may look a moment longer for fibers that have not run, and begins one itself then.
  [[nodiscard]] virtual bool may_linger() const noexcept { return true; }

  // What schedulers are made of.
  // A fiber that has not run, for this hart, which alone will run it unless it may move.
  static void keep(Lane& lane, Fiber& fiber) noexcept {
    if (!fiber.may_move) fiber.bound_to = lane.hart;
    lane.ready.push(fiber);
  }
  // A fiber that has not run, or may move, for any hart that comes.
  void share(Fiber& fiber) noexcept;
  // The same, and sees to it that one comes.
  void offer(Fiber& fiber) noexcept;
  // One of those; what came from outside (another scheduler, a plain thread) is among them. Null: there is none.
  [[nodiscard]] Fiber* take_shared() noexcept;
  // So many detached fibers that do the same, shared, and a hart asked for each.
  void spawn_alike(std::size_t count, Fiber::Entry entry, void* argument);
  [[nodiscard]] bool has_shared() const noexcept { return shared_count_.load(std::memory_order_relaxed) > 0; }
  // Each of them fills in `next` and returns true, or finds nothing.
  // What can go on on this hart alone: an own fiber, or a child's; in turn where there are both.
  [[nodiscard]] bool next_bound(Lane& lane, Next& next) noexcept;
  // A child that asked for a hart and was entered on this one; any that did, by turns.
  [[nodiscard]] bool next_own_claim(const Lane& lane, Next& next) noexcept;
  [[nodiscard]] bool next_claim(Next& next) noexcept;
  // That child, if it is one: it asked, or can go on on this hart alone.
  [[nodiscard]] bool next_of_child(Lane& lane, const Scheduler* child, Next& next) noexcept;
  // A fiber that any hart may begin.
  [[nodiscard]] bool next_shared(Next& next) noexcept;
  // Harts that have nothing to do. A scheduler with work that others could take asks for one then; in one order with its
  // showing that work, or it misses a hart that has just looked in vain.
  [[nodiscard]] bool harts_idle() const noexcept { return harts_idle_.load(std::memory_order_seq_cst) > 0; }

  [[nodiscard]] Lane& lane(const Hart& hart) noexcept;
  [[nodiscard]] Substrate& substrate() const noexcept { return substrate_; }

 private:
  explicit Scheduler(Substrate& substrate);  // the root

  void enter();
  Fiber& spawn_by_thread(Fiber::Entry entry, void* argument, std::string_view name, Fiber::End end, Fiber::Moves moves);
  Fiber& made_by_thread(Fiber::Entry entry, void* argument, std::string_view name, Fiber::End end, Fiber::Moves moves);
  void send(Fiber& fiber) noexcept;  // from outside
  // One that has run and waited, and that any hart may go on with; from a hart that is here, or from anywhere.
  void offer_rested(Fiber& fiber, bool hart_is_here) noexcept;
  void exit() noexcept;
  void wait_for_fibers() noexcept;
  void rest_until_fibers_end() noexcept;
  void look_until_fibers_end() noexcept;
  // On the hart where one has just ended, which is counted. No fence here: who leaves makes it for all harts.
  void tell_leaver() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (leaver_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      wake_leaver();
  }
  [[gnu::noinline]] void wake_leaver() noexcept;
  void cancel(int harts) noexcept;
  void ask_unless_lingered_for(std::size_t harts) noexcept;
  void count_shared(std::size_t more) noexcept {  // with the lock
    shared_count_.store(shared_count_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] Demand<>* demand_above() noexcept { return parent_ != nullptr ? &parent_->demand_ : nullptr; }
  [[nodiscard]] bool lend(Scheduler& child, Next& next) noexcept;
  static void lend_bound(Lane& due, Next& next) noexcept;
  [[nodiscard]] bool fibers_left() const noexcept;
  [[nodiscard]] bool harts_left() const noexcept;

  Substrate& substrate_;
  const std::atomic<int>& harts_idle_;  // the substrate's count
  Scheduler* const parent_;
  Stealing* const stealing_;
  const std::unique_ptr<Lane[]> lanes_;  // by the number of the hart
  const Hart* entered_on_ = nullptr;
  std::atomic<Waiter*> leaver_{nullptr};  // who waits for the end of all fibers

  // Written by those who ask and by those who come.
  alignas(64) Demand<> demand_;
  std::atomic<int> given_{0};  // [harts]

  alignas(64) SpinLock children_lock_;  // held while a hart is claimed for a child, so that none comes after its exit
  std::vector<Scheduler*> children_;
  std::size_t turn_ = 0;

  alignas(64) SpinLock shared_lock_;
  FiberList shared_;
  std::atomic<std::size_t> shared_count_{0};  // written under the lock

  alignas(64) std::atomic<std::uint64_t> made_outside_{0};  // fibers made by others than the own
  std::atomic<int> offers_{0};          // that are being made, of fibers that may end before that is over
  std::atomic<unsigned> ends_told_{0};  // to who leaves: of two ends at once the later one knows of both

  // Looked at by harts that linger.
  alignas(64) Lingerers<Fiber> lingerers_;
  std::atomic<bool> closing_{false};  // nothing comes any more
};

// A scheduler of some kind at work: a child of `parent` from here to the end of the scope, which waits for its fibers to end
// and its harts to come back. From a fiber of the parent or of one above, as is the end; children have exited before.
template <typename Kind>
class Entered final : public Kind {
 public:
  // A template, for one of the same kind would be taken for an original to copy.
  template <std::derived_from<Scheduler> Parent, typename... Arguments>
  explicit Entered(Parent& parent, Arguments&&... arguments)
      : Kind(static_cast<Scheduler&>(parent), std::forward<Arguments>(arguments)...) {
    this->enter();
  }
  ~Entered() override { this->exit(); }
};

}  // namespace comity::sched
