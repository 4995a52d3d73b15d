// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/meetings.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "coop/mpi_bootstrap.hpp"
#include "coop/part.hpp"
#include "interpose/handles.hpp"

namespace comity::coop {
namespace {

using interpose::Members;

std::vector<std::int32_t> those_who_take_part(const Peers& peers, const std::vector<std::int32_t>& world_ranks) {
  std::vector<std::int32_t> some;
  std::ranges::copy_if(world_ranks, std::back_inserter(some),
                       [&](std::int32_t rank) { return peers.takes_part(rank); });
  return some;
}

// What follows takes blocking calls: nobody is to spin there for one that is still far. Behind it nobody waits for a part of mine.
void wait_for_all(Cooperation& here, MPI_Comm communicator) {
  const Peers::OwesEverybody owes(here.peers);
  MPI_Request all_came = no_request();
  const int code = real::MPI_Ibarrier(communicator, &all_came);
  if (!has_started(code, all_came)) return;
  tell_everybody(here);
  (void)finish(here, all_came, MPI_STATUS_IGNORE);
  here.peers.ring_those_owed();
}

void learn_ranks(Cooperation& here, std::uint64_t key, MPI_Comm communicator,
                 const std::vector<std::int32_t>& world_ranks) {
  MpiBootstrap bootstrap(communicator, communicator);
  here.arrivals.learn({key, world_ranks, bootstrap});
}

// Processes of other jobs, and ranks that do not wait cooperatively, enter nothing of ours: the others meet without them.
void learn_part(Cooperation& here, std::uint64_t key, const std::vector<std::int32_t>& all,
                const std::vector<std::int32_t>& some) {
  if (some.size() < 2 || !here.party_communicator) return here.arrivals.learn_stranger(key);
  [[maybe_unused]] const LibraryWait waits;
  const OwnCommunicator part(make_part(*here.party_communicator, here.party, some));
  MpiBootstrap bootstrap(part.get(), part.get());
  here.arrivals.learn({key, all, bootstrap});
}

void learn(Cooperation& here, std::uint64_t key, MPI_Comm communicator) {
  const Members* const members = interpose::members_of_communicator(communicator);
  if (members == nullptr) return;
  const std::vector<std::int32_t>& ranks = members->peers;
  if (ranks.size() < 2 || members->between_groups) return here.arrivals.learn_stranger(key);
  const std::vector<std::int32_t> some = those_who_take_part(here.peers, ranks);
  if (some.size() < ranks.size()) return learn_part(here, key, ranks, some);
  wait_for_all(here, communicator);
  learn_ranks(here, key, communicator, ranks);
}

template <typename Do>
void do_at_work(Do&& what) noexcept {
  Cooperation* const here = at_work();
  if (here == nullptr) return;
  try {
    what(*here);
  } catch (const std::exception& error) {
    log::error("coop", std::string("the ranks of a communicator do not meet: ") + error.what());
  }
}

Meeting::Behind behind_it() { return sleeps_in_the_library() ? Meeting::Behind::call : Meeting::Behind::spinning_call; }

}  // namespace

Meeting* meet(std::uint64_t key, const Whom& whom) noexcept {
  Meeting* met = nullptr;
  do_at_work(
      [&](Cooperation& here) { met = here.arrivals.meet(key, here.arrivals.find(key).value_or(nullptr), whom); });
  return met;
}

Meeting* meet_before(std::uint64_t key, const Whom& whom, Meeting::Taken taken, const Board::Part& part) noexcept {
  Meeting* met = nullptr;
  do_at_work([&](Cooperation& here) {
    met = here.arrivals.meet(key, here.arrivals.find(key).value_or(nullptr), whom, behind_it(), taken, part);
  });
  return met;
}

Meeting* find_board(std::uint64_t key) noexcept {
  Meeting* found = nullptr;
  do_at_work([&](Cooperation& here) { found = here.arrivals.find(key).value_or(nullptr); });
  return found != nullptr && found->has_board() ? found : nullptr;
}

Meeting::Taken taken_at_the_end() noexcept {
  return sleeps_in_the_library() ? Meeting::Taken::perhaps : Meeting::Taken::surely;
}

Meeting* find_from_inside(std::uint64_t key) noexcept {
  Meeting* found = nullptr;
  do_at_work([&](Cooperation& here) { found = here.arrivals.find(key).value_or(nullptr); });
  return found == LibraryWait::meeting() ? nullptr : found;
}

Meeting* come_from_inside(std::uint64_t key, const Whom& whom) noexcept {
  Meeting* const meeting = find_from_inside(key);
  if (meeting != nullptr) meeting->come_without_waiting(whom);
  return meeting;
}

bool is_new(MPI_Comm communicator) noexcept {
  Cooperation* const here = at_work();
  return here != nullptr && !here->arrivals.find(key_of(communicator));
}

int learn_behind(MPI_Comm communicator, int code) noexcept {
  if (is_new(communicator) && !is_refusal(code)) learn_as(key_of(communicator), communicator);
  return code;
}

// Others are told by ranks that have begun, such as too long a message, another rank's end, or want of memory.
bool is_refusal(int code) noexcept {
  constexpr std::array kOfTheCall{MPI_ERR_COUNT,    MPI_ERR_TYPE,      MPI_ERR_OP,     MPI_ERR_ROOT,  MPI_ERR_BUFFER,
                                  MPI_ERR_ARG,      MPI_ERR_COMM,      MPI_ERR_RANK,   MPI_ERR_GROUP, MPI_ERR_DIMS,
                                  MPI_ERR_TAG,      MPI_ERR_TOPOLOGY,  MPI_ERR_INFO,   MPI_ERR_SIZE,  MPI_ERR_DISP,
                                  MPI_ERR_BASE,     MPI_ERR_AMODE,     MPI_ERR_ASSERT, MPI_ERR_WIN,   MPI_ERR_FILE,
                                  MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE};
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_ERR_UNKNOWN;
  (void)real::MPI_Error_class(code, &error_class);
  return std::ranges::find(kOfTheCall, error_class) != kOfTheCall.end();
}

void learn_as(std::uint64_t key, MPI_Comm communicator) noexcept {
  do_at_work([&](Cooperation& here) { learn(here, key, communicator); });
}

void after_collective(Meeting* meeting, int code) noexcept {
  Cooperation* const here = at_work();
  if (here == nullptr) return;
  if (!sleeps_in_the_library()) {
    if (meeting != nullptr) meeting->end(is_refusal(code));
    return;
  }
  if (meeting == nullptr) return here->peers.ring_everybody();
  meeting->leave(is_refusal(code));
  here->peers.ring_those_owed();
}

void after_inner_collective(Meeting* meeting, int code) noexcept {
  if (meeting != nullptr) meeting->leave(is_refusal(code));
}

Arrivals::Kept forget(std::uint64_t key) {
  Cooperation* const here = at_work();
  return here == nullptr ? Arrivals::Kept() : here->arrivals.forget(key);
}

void remember(Arrivals::Kept kept) {
  Cooperation* const here = at_work();
  if (here != nullptr && !kept.empty()) here->arrivals.remember(std::move(kept));
}

}  // namespace comity::coop
