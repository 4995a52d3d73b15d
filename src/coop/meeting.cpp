// SPDX-License-Identifier: BSD-3-Clause
#include "coop/meeting.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "base/clock.hpp"
#include "base/spin.hpp"
#include "coop/wait.hpp"

namespace comity::coop {
namespace {

using node::SleepsFor;
using Kind = Whom::Kind;

constexpr int kLooksBeforeWait = 64;  // a microsecond or two
constexpr int kQuickTurns = 16;
// In front of a call. Where a rank passes that has agreed and this one has not, and does not get to sleep.
constexpr Nanoseconds kLongestInFront = std::chrono::milliseconds(20);
// And wherever this rank can sleep behind as well: what it waits for may never come, for its own call is one that the library refuses.
constexpr Nanoseconds kLongestAnywhere = std::chrono::milliseconds(100);

// Of the group that has that slot of the segment, in the room that its participants were given for it.
std::optional<Board> board_of(const node::Group& group) {
  const node::Segment& segment = group.node().segment();
  const std::size_t each = Board::bytes_for(static_cast<std::size_t>(segment.participants()));
  const std::size_t begin = group.claim().slot * each;
  const std::span<std::byte> room = segment.room();
  if (begin + each > room.size()) return std::nullopt;
  return Board(room.subspan(begin, each), static_cast<std::size_t>(group.size()),
               static_cast<std::size_t>(group.rank()), group.claim().epoch);
}

}  // namespace

Meeting::Meeting(Peers& peers, std::unique_ptr<node::Group> group, std::span<const std::int32_t> world_ranks,
                 void (*progress)())
    : peers_(peers), progress_(progress), group_(std::move(group)) {
  std::unordered_map<int, int> members;
  for (int member = 0; member < group_->size(); ++member) members[group_->participant(member)] = member;
  for (const std::int32_t world_rank : world_ranks) {
    const auto found = members.find(peers_.participant_of(world_rank));
    member_of_.push_back(found == members.end() ? kElsewhere : found->second);
  }
  if (is_whole()) board_ = board_of(*group_);
}

bool Meeting::is_here(int rank) const {
  return rank >= 0 && static_cast<std::size_t>(rank) < member_of_.size() &&
         member_of_[static_cast<std::size_t>(rank)] != kElsewhere;
}

// One that is elsewhere, or none at all, is not missed here.
Meeting::Need Meeting::missing_root(int rank) const {
  if (!is_here(rank)) return std::nullopt;
  const int member = member_of_[static_cast<std::size_t>(rank)];
  if (group_->turns().has_come(member)) return std::nullopt;
  return SleepsFor::member(member);
}

// Who has come is not looked at again: a wait of many looks is one walk over all.
Meeting::Need Meeting::missing_of_all() {
  while (come_below_ < group_->size() && group_->turns().has_come(come_below_)) ++come_below_;
  if (come_below_ < group_->size()) return SleepsFor::the_last();
  return std::nullopt;
}

Meeting::Need Meeting::missing(const Whom& whom) {
  switch (whom.kind()) {
    case Kind::nobody:
    case Kind::uncounted:
      break;
    case Kind::everybody:
      return missing_of_all();
    case Kind::everybody_if_all_give:
      return whom.all_give(static_cast<int>(member_of_.size())) ? missing_of_all() : std::nullopt;
    case Kind::root:
      return missing_root(whom.root());
  }
  return std::nullopt;
}

// Before that nobody is done with the library's call behind, so who has told nothing keeps nobody waiting for long.
bool Meeting::are_all(const Whom& whom) const {
  if (whom.kind() == Kind::everybody_if_all_give) return whom.all_give(static_cast<int>(member_of_.size()));
  return whom.kind() == Kind::everybody;
}

// Who has told since had to sleep.
bool Meeting::may_pass() const {
  if (!passes_ || !may_spin()) return false;
  for (int member = 0; member < group_->size(); ++member) {
    if (static_cast<std::int32_t>(group_->turns().of(member).turn - last_told_) > 0) return false;
  }
  return true;
}

// By somebody who makes the same call.
bool Meeting::is_met_in_front(const Whom& whom) const {
  return are_all(whom) || (whom.kind() == Kind::root && is_here(whom.root()));
}

// Who passes in the same turn has laid nothing, and goes into the library: so nobody does who has something to lay.
void Meeting::lay(const Board::Part& part) {
  if (part.kind == 0) return;
  laid_kind_ = part.kind;
  board_->lay(group_->turns().turns_of_all() + 1, part);
}

void Meeting::come(const Whom& whom, Behind behind, Taken taken, const Board::Part& part) {
  laid_kind_ = 0;
  // One whose turn nobody was told was left by longjmp, as handlers of errors do, and may have been refused.
  if (!has_told()) end(/*refused=*/true);
  is_in_call_ = whom.kind() != Kind::uncounted;
  if (!is_in_call_) return;
  has_slept_inside_ = false;
  const bool could_pass = behind == Behind::call && are_all(whom) && part.kind == 0;
  const auto of = are_all(whom) ? node::Turns::Of::all : node::Turns::Of::some;
  if (could_pass && may_pass()) {
    has_passed_ = true;
    tells_at_end_ = false;
    return group_->turns().pass(of);
  }
  if (taken == Taken::perhaps || (behind == Behind::call && !is_met_in_front(whom))) {
    if (could_pass) passes_ = false;
    tells_at_end_ = true;
    group_->turns().pass(of);
    if (behind == Behind::spinning_call) go_in_doubt();
    return;
  }
  const bool would_pass = could_pass && quick_turns_ >= kQuickTurns && may_spin();
  if (are_all(whom)) lay(part);
  group_->turns().come(of, would_pass ? SleepsFor::nothing_soon() : SleepsFor::nothing());
  come_below_ = 0;
  ring_those_freed();
  const bool is_quick = !missing(whom) || come_soon(whom);
  if (!is_quick) wait_for(whom, behind);
  if (could_pass) {
    quick_turns_ = is_quick ? std::min(quick_turns_ + 1, kQuickTurns) : 0;
    passes_ = false;
    if (would_pass && is_quick) agree_whether_to_pass();
  }
  last_told_ = group_->turns().turn();
}

void Meeting::come_without_waiting(const Whom& whom) {
  if (!has_told()) end(/*refused=*/true);
  laid_kind_ = 0;
  is_in_call_ = whom.kind() != Whom::Kind::uncounted;
  if (!is_in_call_) return;
  has_slept_inside_ = false;
  tells_at_end_ = false;
  passes_ = false;
  come_below_ = 0;
  group_->turns().come(are_all(whom) ? node::Turns::Of::all : node::Turns::Of::some, SleepsFor::nothing());
  ring_those_freed();
  last_told_ = group_->turns().turn();
}

// What each has told stays until all have read it, for nobody is done with the call behind before all are in it.
void Meeting::agree_whether_to_pass() {
  const node::Turns& turns = group_->turns();
  passes_ = true;
  for (int member = 0; member < group_->size(); ++member) {
    const node::Turns::Word word = turns.of(member);
    passes_ = passes_ && word.turn == turns.turn() && word.sleeps_for == SleepsFor::nothing_soon();
  }
}

void Meeting::sleep_inside() {
  has_slept_inside_ = true;
  const bool was_told = has_told();
  group_->turns().sleep_for(SleepsFor::a_step());
  quick_turns_ = 0;
  if (was_told) return;
  if (tells_at_end_) {
    last_told_ = group_->turns().turn();
  } else {
    passes_ = false;
  }
  come_below_ = 0;
  ring_those_freed();
}

// The others tell it too, without having slept.
void Meeting::tell_now() {
  group_->turns().sleep_for(SleepsFor::nothing());
  last_told_ = group_->turns().turn();
  come_below_ = 0;
  ring_those_freed();
}

// Who has slept inside was in it with others.
void Meeting::end(bool refused) {
  if (!std::exchange(is_in_call_, false)) return;
  if (refused && !has_slept_inside_) {
    group_->turns().take_back();
  } else if (!has_told() && tells_at_end_) {
    tell_now();
  }
}

// Of those in this turn who sleep: who waits for me, and who waits for all, if I am the last.
void Meeting::ring_those_freed() {
  const node::Turns& turns = group_->turns();
  const SleepsFor me = SleepsFor::member(group_->rank());
  std::optional<bool> am_last;
  for (int member = 0; member < group_->size(); ++member) {
    const node::Turns::Word word = turns.of(member);
    if (word.sleeps_for == SleepsFor::nothing() || word.turn != turns.turn()) continue;
    const bool waits_for_all = word.sleeps_for == SleepsFor::the_last();
    if (waits_for_all && !am_last) am_last = !missing_of_all();
    if (word.sleeps_for == me || (waits_for_all && *am_last)) peers_.ring(group_->participant(member));
  }
}

// Who waits in front of a call goes in, and waits for this rank there.
void Meeting::go_in_doubt() {
  const node::Turns& turns = group_->turns();
  group_->turns().doubt();
  const SleepsFor me = SleepsFor::member(group_->rank());
  for (int member = 0; member < group_->size(); ++member) {
    const SleepsFor what = turns.of(member).sleeps_for;
    if (what == SleepsFor::the_last() || what == me) peers_.ring(group_->participant(member));
  }
}

bool Meeting::are_any_in_doubt() const {
  for (int member = 0; member < group_->size(); ++member) {
    if (group_->turns().of(member).sleeps_for == SleepsFor::in_doubt()) return true;
  }
  return false;
}

bool Meeting::may_spin() const { return peers_.may_spin() && peers_.node().spin_budget().count() > 0; }

bool Meeting::come_soon(const Whom& whom) {
  if (!may_spin()) return false;
  for (int look = 0; look < kLooksBeforeWait; ++look) {
    if (!missing(whom)) return true;
    spin_pause();
  }
  return false;
}

void Meeting::wait_for(const Whom& whom, Behind behind) {
  if (const Need need = missing(whom)) group_->turns().sleep_for(*need);
  const bool may_go_on = behind == Behind::call;
  const std::int64_t end_ns = may_go_on ? deadline_after(has_passed_ ? kLongestInFront : kLongestAnywhere) : kNever;
  const auto is_over = [&] {
    if (!missing(whom) || (behind == Behind::spinning_call && are_any_in_doubt())) return true;
    progress_();
    group_->look_for_the_dead();
    return !missing(whom) || (may_go_on && now_ns() >= end_ns);
  };
  wait_until(peers_, is_over, Nanoseconds(0), node::Hears::all_but_answers);
  group_->turns().awake();
}

void Meeting::ring_those_inside() {
  peers_.node().fence_before_look();
  for (int member = 0; member < group_->size(); ++member) {
    if (member == group_->rank()) continue;
    if (group_->turns().of(member).sleeps_for == SleepsFor::a_step()) peers_.ring(group_->participant(member));
  }
}

void Meeting::leave(bool refused) {
  end(refused);
  if (has_told()) group_->turns().awake();
  ring_those_inside();
}

}  // namespace comity::coop
