// SPDX-License-Identifier: BSD-3-Clause
#include "preload/meeting/roll_call.hpp"

#include <mpi.h>

#include <array>

#include "interpose/handles.hpp"
#include "preload/meeting/notice_board.hpp"
#include "real.hpp"

namespace comity::preload {
namespace {

namespace real = interpose::real;

// No message of the program can be mistaken for one of these: a rank sends them before any other of its own, and its peer
// receives them before the program may.
constexpr int kTag = 32009;

bool is_begin_of_run(const interpose::Facts& facts) {
  return facts.name == "MPI_Init" || facts.name == "MPI_Init_thread";
}

void send(Plans plans, int to) {
  const std::uint64_t bits = plans.bits();
  real::MPI_Send(&bits, sizeof bits, interpose::handles().byte, to, kTag, interpose::handles().world);
}

Plans receive(int from) {
  std::uint64_t bits = 0;
  MPI_Status status;
  const int code =
      real::MPI_Recv(&bits, sizeof bits, interpose::handles().byte, from, kTag, interpose::handles().world, &status);
  return Plans(code == MPI_SUCCESS ? bits : 0);
}

}  // namespace

interpose::Depth RollCall::depth(const interpose::Facts& facts) const noexcept {
  return facts.kind == interpose::Kind::begin ? interpose::Depth::calls : interpose::Depth::none;
}

bool RollCall::announces(const interpose::Facts& facts) const noexcept { return facts.kind == interpose::Kind::begin; }

void RollCall::before(const interpose::Call& call) noexcept {
  if (is_begin_of_run(*call.facts)) {
    NoticeBoard::leave(mine_.bits());
  } else {
    NoticeBoard::close();
  }
}

void RollCall::after(const interpose::Event& event) noexcept {
  if (!is_begin_of_run(*event.facts) || !event.succeeded) return;
  real::MPI_Comm_rank(interpose::handles().world, &rank_);
  real::MPI_Comm_size(interpose::handles().world, &size_);
  switch (NoticeBoard::state()) {
    case NoticeBoard::State::absent:
      all_ = mine_;
      break;  // as those take it who started the job
    case NoticeBoard::State::broken:
      all_ = size_ == 1 ? mine_ : Plans();
      break;
    case NoticeBoard::State::good:
      all_ = joined();
      break;
  }
}

Plans RollCall::plans_of(int rank) const { return rank == rank_ ? mine_ : Plans(NoticeBoard::of(rank).value_or(0)); }

// Up the tree goes what all below plan, down what all do. Whoever has left no notice is neither sent anything nor waited
// for; what is below him ends there, and hears that not all take part, as do those above.
Plans RollCall::joined() const {
  const int parent = (rank_ - 1) / 2;
  const bool has_parent = rank_ > 0 && plans_of(parent).bits() != 0;
  Plans plans = mine_;
  std::array<int, 2> children{};
  std::size_t known = 0;
  for (const int child : {2 * rank_ + 1, 2 * rank_ + 2}) {
    if (child >= size_) continue;
    const bool is_here = plans_of(child).bits() != 0;
    if (is_here) children.at(known++) = child;
    plans = plans.and_also(is_here ? receive(child) : Plans());
  }
  if (has_parent) {
    send(plans, parent);
    plans = receive(parent);
  } else if (rank_ > 0) {
    plans = Plans();
  }
  for (std::size_t i = 0; i < known; ++i) send(plans, children.at(i));
  return plans;
}

RollCall::Some RollCall::those_with(Plan plan) const {
  Some some{.ranks = {}, .plans = mine_};
  if (NoticeBoard::state() != NoticeBoard::State::good) return some;
  for (int rank = 0; rank < size_; ++rank) {
    const Plans plans = plans_of(rank);
    if (!plans.has(plan)) continue;
    some.ranks.push_back(rank);
    some.plans = some.plans.and_also(plans);
  }
  return some;
}

}  // namespace comity::preload
