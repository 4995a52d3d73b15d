// SPDX-License-Identifier: BSD-3-Clause
// Meeting: the ranks of one communicator that share this node, as one of them sees them. Each counts the collectives that it has
// come to; a rank sleeps in front of one until those have come whom it waits for (whom), and rings those that wait for it. Not:
// which calls these are (calls/). Invariant: who comes last rings, so that the arrivals of p ranks cause less than p wake-ups.
//
// Where all come at nearly the same time again and again there is nothing to win in front of the call, and who comes tells nobody: all
// ranks agree on that in a turn in which all say so, and it ends when one of them has to sleep. One that sleeps behind, inside the
// call, tells its turn then, so that nobody waits for it in front who has not agreed.
//
// A call that the library refuses on one rank alone is none that this rank has come to. So it tells nobody of one that the library may refuse
// before it sleeps inside or the call is over; and calls that others may have done without it are counted apart (node::Turns). Where it cannot sleep
// inside it tells that it is in doubt: then nobody waits for it in front of such a call.
//
// Where all ranks of the communicator meet they have a board, and whoever lays something there tells that it has come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "coop/board.hpp"
#include "coop/orders.hpp"
#include "coop/peers.hpp"
#include "coop/whom.hpp"
#include "node/group.hpp"

namespace comity::coop {

class Meeting {
 public:
  // world_ranks: of the communicator, by its rank numbers. progress(): makes the MPI go on, so
  // that a peer which still waits for a message of a rank that has come gets it.
  Meeting(Peers& peers, std::unique_ptr<node::Group> group, std::span<const std::int32_t> world_ranks,
          void (*progress)());

  // The library's own call, in which a rank sleeps too (sleep_inside), or does not.
  enum class Behind : std::uint8_t { nothing, call, spinning_call };
  // By the library, that is known of the call; or it may be refused.
  enum class Taken : std::uint8_t { surely, perhaps };

  // I have come to the next call, and wait for those. part: what I lay on the board for it; kind 0: nothing. Throws Status::peer_lost.
  void come(const Whom& whom, Behind behind = Behind::nothing, Taken taken = Taken::surely,
            const Board::Part& part = {});
  // The same, and I go straight into the call.
  void come_without_waiting(const Whom& whom);
  // The library's call is over, or was refused on this rank at once, which then has not come to it.
  void end(bool refused);
  // The same where ranks sleep inside: those that do are rung.
  void leave(bool refused);
  // All ranks of the communicator meet here: who has come back from a turn for everybody has had a barrier.
  [[nodiscard]] bool is_whole() const { return group_->size() == static_cast<int>(member_of_.size()); }
  [[nodiscard]] int size() const { return group_->size(); }  // of those who do
  [[nodiscard]] int rank() const { return group_->rank(); }  // among those; that of the communicator where it is whole

  // Where what all lay down may stand: for parts of all ranks of the communicator.
  [[nodiscard]] bool has_board() const { return board_.has_value(); }
  // Of the turn that I have come to; 0: nothing.
  [[nodiscard]] std::uint64_t laid_kind() const { return laid_kind_; }
  // Behind come(): whether all have laid parts of that kind, which stay until my next turn but one. The same on all ranks that have.
  [[nodiscard]] bool have_all_laid() { return board_->agree(group_->turns().turns_of_all(), laid_kind_); }
  [[nodiscard]] std::span<const std::byte> given_by(int rank) const {
    return board_->part(group_->turns().turns_of_all(), static_cast<std::size_t>(rank));
  }
  [[nodiscard]] Orders& orders() { return orders_; }
  // Whether others see that I have come to this turn.
  [[nodiscard]] bool has_told() const { return group_->turns().has_told(); }
  // Of the library's own call behind it: from now on this rank may sleep there; those that do.
  void sleep_inside();
  void ring_those_inside();

 private:
  using Need = std::optional<node::SleepsFor>;  // none: nobody is missing

  [[nodiscard]] Need missing(const Whom& whom);
  [[nodiscard]] Need missing_of_all();
  [[nodiscard]] Need missing_root(int rank) const;
  [[nodiscard]] bool are_all(const Whom& whom) const;
  [[nodiscard]] bool is_met_in_front(const Whom& whom) const;
  [[nodiscard]] bool is_here(int rank) const;
  void tell_now();
  void lay(const Board::Part& part);
  [[nodiscard]] bool may_spin() const;
  [[nodiscard]] bool may_pass() const;
  void agree_whether_to_pass();
  [[nodiscard]] bool come_soon(const Whom& whom);
  void ring_those_freed();
  void go_in_doubt();
  [[nodiscard]] bool are_any_in_doubt() const;
  void wait_for(const Whom& whom, Behind behind);

  Peers& peers_;
  void (*progress_)();
  std::unique_ptr<node::Group> group_;
  std::vector<int> member_of_;   // of the group, by rank number; kElsewhere
  int come_below_ = 0;           // members below have been seen in my turn
  int quick_turns_ = 0;          // turns for everybody up to now, one after the other, in which I have not slept
  bool passes_ = false;          // all have agreed to tell nobody, and nobody has slept since that I know of
  std::uint32_t last_told_ = 0;  // the last turn that all told: who has told a later one has slept
  bool has_passed_ = false;      // a turn, ever
  bool is_in_call_ = false;      // the library's, which is not known to be over
  bool tells_at_end_ = false;    // of that call
  bool has_slept_inside_ = false;
  std::optional<Board> board_;
  std::uint64_t laid_kind_ = 0;
  Orders orders_;
};

}  // namespace comity::coop
