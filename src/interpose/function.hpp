// SPDX-License-Identifier: BSD-3-Clause
// The functions of this MPI, in the order of their names: what each is, and the places of its arguments. Written by
// generate.py from mpi.h; this file says what a row means.
#pragma once

#include <array>
#include <cstdint>

#include "interpose/event.hpp"

namespace comity::interpose {

// How the bytes of a call follow from its arguments.
enum class Rule : std::uint8_t {
  none,
  send,
  receive,
  exchange,
  broadcast,
  reduce,
  all,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  neighbor_allgather,
  neighbor_alltoall,
  put,
  get,
  get_and_put,
  read,  // a split one where it ends
  write,
  start,  // of persistent requests
  complete,
  free_request,
  match,              // MPI_Mprobe: finds a message that Mrecv receives
  matched,            // MPI_Mrecv
  partitioned,        // MPI_Precv_init: as long as it says itself
  free_communicator,  // its handle may come back as another communicator's
  free_window,
  free_type,
};

inline constexpr std::int8_t kAbsent = -1;

// Places of arguments, counted from 0, each of the type that is meant by its name (calls.py holds them to that). Where a call has both
// directions, count and type are those that it sends.
struct Places {
  std::int8_t buffer = kAbsent;
  std::int8_t count = kAbsent;  // a number, or an array of one a rank
  std::int8_t type = kAbsent;
  std::int8_t other_buffer = kAbsent;
  std::int8_t other_count = kAbsent;
  std::int8_t other_type = kAbsent;
  std::int8_t to = kAbsent;
  std::int8_t from = kAbsent;
  std::int8_t root = kAbsent;
  std::int8_t communicator = kAbsent;
  std::int8_t window = kAbsent;
  std::int8_t status = kAbsent;
  std::int8_t made = kAbsent;  // where a new communicator is written
  std::int8_t request = kAbsent;
  std::int8_t requests = kAbsent;  // as many as the count says
  std::int8_t statuses = kAbsent;
  std::int8_t message = kAbsent;
  std::int8_t flag = kAbsent;     // whether it has happened
  std::int8_t index = kAbsent;    // which one has
  std::int8_t indices = kAbsent;  // which ones have
  std::int8_t found = kAbsent;    // how many
  std::int8_t level = kAbsent;    // that is set, or asked for
  std::int8_t partitions = kAbsent;
};

// Which of these are arrays of one a rank.
struct Each {
  bool count = false;
  bool other_count = false;
  bool type = false;  // and the other type
};

// What becomes of which object.
struct ObjectUse {
  ObjectKind kind = ObjectKind::communicator;
  ObjectAct act = ObjectAct::none;
  std::int8_t place = kAbsent;  // of its handle's address; of a block's that ends, the block itself
};

struct Row {
  std::string_view name;
  Kind kind;
  Rule rule;
  bool blocking;
  bool leaf;      // MPI makes no call of its own inside it
  bool own_code;  // compiled by itself
  Places at;
  bool large = false;  // counts are of type MPI_Count
  Each each = {};
  bool keeps = false;  // Facts::keeps_memory
  ObjectUse object = {};
};

inline constexpr auto kRows = std::to_array<Row>({
#include "functions.inc"
});
inline constexpr std::size_t kFunctions = kRows.size();

inline constexpr auto kFacts = [] {
  std::array<Facts, kFunctions> facts{};
  for (std::size_t i = 0; i < kFunctions; ++i) {
    facts[i] = {kRows[i].name,
                kRows[i].kind,
                kRows[i].blocking,
                static_cast<std::uint16_t>(i),
                kRows[i].object.act != ObjectAct::none,
                kRows[i].keeps};
  }
  return facts;
}();

// Whose bytes are those of one message.
[[nodiscard]] constexpr bool is_message(Rule rule) {
  using enum Rule;
  return rule == send || rule == receive || rule == exchange || rule == matched || rule == partitioned;
}

// Collective calls along a communicator's topology.
[[nodiscard]] constexpr bool is_among_neighbors(Rule rule) {
  return rule == Rule::neighbor_allgather || rule == Rule::neighbor_alltoall;
}

// Calls whose messages move later, when their request starts or completes; and all whose request persists, so that it is known
// how many of those are started.
[[nodiscard]] constexpr bool makes_requests(const Row& row) {
  using enum Rule;
  const bool receives = row.rule == receive || row.rule == matched || row.rule == exchange || row.rule == read;
  if (row.kind == Kind::setup) return row.at.request != kAbsent;
  return receives && !row.blocking && row.at.request != kAbsent;  // a split read has none
}
// Those whose requests tell nothing more, when they complete.
[[nodiscard]] constexpr bool makes_silent_requests(const Row& row) {
  const bool is_other = row.kind == Kind::setup || row.kind == Kind::start || row.kind == Kind::completion ||
                        row.rule == Rule::free_request;
  return !is_other && !row.blocking && row.at.request != kAbsent && !makes_requests(row);
}
[[nodiscard]] constexpr bool meets_requests(const Row& row) {
  using enum Rule;
  return row.rule == start || row.rule == complete || row.rule == free_request || row.rule == match;
}

}  // namespace comity::interpose
