// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/posted.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/hash.hpp"
#include "coop/calls/meetings.hpp"
#include "coop/calls/plain_types.hpp"

namespace comity::coop {
namespace {

constinit std::atomic<std::uint64_t> made{0};

// Of a call, by what has to be the same on all ranks; never 0.
class Kind {
 public:
  Kind& with(std::uint64_t value) {
    bits_ = mixed(bits_ ^ value);
    return *this;
  }
  [[nodiscard]] std::uint64_t bits() const { return bits_ | 1U; }

 private:
  std::uint64_t bits_ = 1;
};
constexpr std::uint64_t kGather = 1, kSum = 2;

bool are_apart(const void* one, std::size_t bytes, const void* other, std::size_t other_bytes) {
  const std::less_equal<const std::byte*> is_not_behind;
  const auto* const a = static_cast<const std::byte*>(one);
  const auto* const b = static_cast<const std::byte*>(other);
  return is_not_behind(a + bytes, b) || is_not_behind(b + other_bytes, a);
}

// The library goes on once where it would at the begin of such a call, and once where it would at the end.
void note_made() {
  made.fetch_add(1, std::memory_order_relaxed);
  Cooperation* const here = at_work();
  if (here == nullptr) return;
  here->progress();
  here->progress();
}

}  // namespace

std::uint64_t posted_calls() { return made.load(std::memory_order_relaxed); }

std::size_t PostedGather::bytes_of(std::size_t rank) const {
  const std::int64_t elements = counts == nullptr ? count : counts[rank];
  return elements < 0 ? Board::kMostBytes + 1 : static_cast<std::size_t>(elements) * plain(type).bytes;
}

std::byte* PostedGather::piece(std::size_t rank) const {
  const std::int64_t place = counts == nullptr ? count * static_cast<std::int64_t>(rank) : places[rank];
  return static_cast<std::byte*>(received) + place * static_cast<std::int64_t>(plain(type).bytes);
}

bool PostedGather::lies_apart(std::size_t ranks) const {
  const std::size_t bytes = static_cast<std::size_t>(sent_count) * plain(sent_type).bytes;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!are_apart(sent, bytes, piece(rank), bytes_of(rank))) return false;
  }
  return true;
}

bool PostedGather::is_little(std::size_t ranks) const {
  if (plain(type).name == 0) return false;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (bytes_of(rank) > Board::kMostBytes) return false;
  }
  return true;
}

Board::Part PostedGather::part(Meeting& meeting) const {
  const auto ranks = static_cast<std::size_t>(meeting.size()), me = static_cast<std::size_t>(meeting.rank());
  if (sent == nullptr || received == nullptr || received == MPI_BOTTOM || plain(type).name == 0) return {};
  if (counts != nullptr && places == nullptr) return {};
  Kind kind;
  kind.with(kGather);
  for (std::size_t rank = 0; rank < (counts == nullptr ? 1 : ranks); ++rank) {
    if (bytes_of(rank) == 0 || bytes_of(rank) > Board::kMostBytes) return {};
    kind.with(bytes_of(rank));
  }
  if (sent == MPI_IN_PLACE) return {kind.bits(), {piece(me), bytes_of(me)}};
  if (sent_count < 0 || plain(sent_type).name == 0) return {};
  if (static_cast<std::size_t>(sent_count) * plain(sent_type).bytes != bytes_of(me) || !lies_apart(ranks)) return {};
  return {kind.bits(), {static_cast<const std::byte*>(sent), bytes_of(me)}};
}

bool PostedGather::take(Meeting& meeting) const {
  if (!meeting.have_all_laid()) return false;
  const auto ranks = static_cast<std::size_t>(meeting.size()), me = static_cast<std::size_t>(meeting.rank());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == me && sent == MPI_IN_PLACE) continue;
    const std::span<const std::byte> given = meeting.given_by(static_cast<int>(rank));
    std::ranges::copy(given, piece(rank));
  }
  note_made();
  return true;
}

Sum PostedSum::what() const {
  return {static_cast<int>(count), type, op, static_cast<std::size_t>(count) * plain(type).bytes, communicator};
}

Board::Part PostedSum::part(Meeting& meeting) const {
  const std::uint64_t operation = number_of_operation(op);
  const PlainType& elements = plain(type);
  if (operation == 0 || elements.name == 0 || elements.numbers == PlainType::Numbers::others) return {};
  if (mine == nullptr || all == nullptr || mine == MPI_BOTTOM || all == MPI_BOTTOM) return {};
  if (count <= 0 || static_cast<std::uint64_t>(count) > Board::kMostBytes / elements.bytes) return {};
  const std::size_t bytes = static_cast<std::size_t>(count) * elements.bytes;
  const bool is_in_place = mine == MPI_IN_PLACE;
  if (!is_in_place && !are_apart(mine, bytes, all, bytes)) return {};
  const std::uint64_t kind =
      Kind().with(kSum).with(operation).with(elements.name).with(static_cast<std::uint64_t>(count)).bits();
  if (meeting.orders().of(kind) == Order::another) return {};
  return {kind, {static_cast<const std::byte*>(is_in_place ? all : mine), bytes}};
}

bool PostedSum::take(Meeting& meeting) const {
  if (!meeting.have_all_laid()) return false;
  const std::uint64_t kind = meeting.laid_kind();
  const Order order = meeting.orders().of(kind);
  if (order == Order::unknown) {
    if (meeting.orders().is_time_to_try(kind)) {
      meeting.orders().note(kind, Order::another);  // where a handler of the program's takes this rank out of it
      meeting.orders().note(kind, find_order(meeting, what()));
    }
    return false;  // the program's own sum is the library's this time
  }
  const Sum sum = what();
  if (order == Order::another || !sum_up(meeting, order, sum, {static_cast<std::byte*>(all), sum.bytes})) return false;
  note_made();
  return true;
}

}  // namespace comity::coop
