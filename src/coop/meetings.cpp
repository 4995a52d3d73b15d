// SPDX-License-Identifier: BSD-3-Clause
#include "coop/meetings.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "coop/mpi_bootstrap.hpp"
#include "interpose/handles.hpp"

namespace comity::coop {
namespace {

using interpose::Members;

// Of both groups of an inter-communicator.
std::vector<std::int32_t> ranks_of_both(const Members& members) {
  std::vector<std::int32_t> all = members.own;
  all.insert(all.end(), members.peers.begin(), members.peers.end());
  std::ranges::sort(all);
  return all;
}

class Merged {
 public:
  explicit Merged(MPI_Comm between) {
    real::MPI_Intercomm_merge(between, 0, &communicator_);  // which group comes first does not matter
  }
  ~Merged() { real::MPI_Comm_free(&communicator_); }
  Merged(const Merged&) = delete;
  Merged& operator=(const Merged&) = delete;

  [[nodiscard]] MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_{};
};

// What follows takes blocking calls: nobody is to spin there for one that is still far.
void wait_for_all(Cooperation& here, MPI_Comm communicator) {
  MPI_Request all_came;
  if (real::MPI_Ibarrier(communicator, &all_came) != MPI_SUCCESS) return;
  tell_everybody(here);
  (void)finish(here, all_came, MPI_STATUS_IGNORE);
  here.peers.ring_those_owed();
}

void learn(Cooperation& here, std::uint64_t key, MPI_Comm communicator) {
  const Members* const members = interpose::members_of_communicator(communicator);
  if (members == nullptr) return;
  const std::vector<std::int32_t> ranks = members->between_groups ? ranks_of_both(*members) : members->peers;
  if (!Arrivals::may_meet(ranks)) return here.arrivals.learn_stranger(key);
  wait_for_all(here, communicator);
  std::optional<Merged> merged;
  if (members->between_groups) communicator = merged.emplace(communicator).get();
  MpiBootstrap bootstrap(communicator, communicator);
  here.arrivals.learn({key, ranks, bootstrap});
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

}  // namespace

void meet(MPI_Comm communicator) noexcept {
  do_at_work([&](Cooperation& here) {
    const std::uint64_t key = key_of(communicator);
    if (here.arrivals.meet(key)) return;
    learn(here, key, communicator);
    (void)here.arrivals.meet(key);
  });
}

void meet_known(std::uint64_t key) noexcept {
  do_at_work([&](Cooperation& here) { (void)here.arrivals.meet(key); });
}

void learn_as(std::uint64_t key, MPI_Comm communicator) noexcept {
  do_at_work([&](Cooperation& here) { learn(here, key, communicator); });
}

void forget(std::uint64_t key) {
  Cooperation* const here = at_work();
  if (here != nullptr) here->arrivals.forget(key);
}

}  // namespace comity::coop
