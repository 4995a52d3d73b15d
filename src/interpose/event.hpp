// SPDX-License-Identifier: BSD-3-Clause
// What a subscriber learns of a call to MPI, without MPI's types: the program's own outermost calls, each once, whichever
// language it is written in and whichever of the two names (MPI_x, PMPI_x) it took. Not: how a call is caught (door).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace comity::interpose {

enum class Kind : std::uint8_t {
  local,  // concerns nobody else
  begin,  // MPI_Init, MPI_Init_thread, MPI_Session_init
  end,    // MPI_Finalize, MPI_Session_finalize, MPI_Abort
  send,   // nonblocking forms are of the same kind; Facts::blocking tells them apart
  receive,
  exchange,  // MPI_Sendrecv and its forms
  probe,
  completion,  // MPI_Wait, MPI_Test and their forms
  setup,       // MPI_x_init: a request that moves nothing yet
  start,       // MPI_Start, MPI_Startall, MPI_Pready
  collective,
  maker,  // makes or ends a communicator or a window together with others
  one_sided,
  epoch,  // fence, lock, flush and their like
  file,
};

struct Facts {
  std::string_view name;  // MPI_x
  Kind kind;
  bool blocking;                 // may wait for another rank
  std::uint16_t number;          // from 0 on, in the order of the names; another one with each MPI
  bool changes_objects = false;  // makes or ends an object of MPI
  bool keeps_memory =
      false;  // concerns nobody else, and has the MPI keep something that it kept not before, or no longer
};

// What a program makes and has to free. Requests are those that persist.
enum class ObjectKind : std::uint8_t {
  communicator,
  group,
  datatype,
  request,
  window,
  file,
  operation,
  info,
  keyval,
  error_handler,
  memory,  // a block of MPI_Alloc_mem
};
inline constexpr std::size_t kObjectKinds = 11;
enum class ObjectAct : std::uint8_t { none, makes, ends };

// A call that is about to be made.
struct Call {
  const Facts* facts;
  std::int64_t begin_ns;  // base/clock; 0 where no subscriber of this function asks for times
  int level;              // what MPI_Pcontrol sets, or MPI_Init_thread asks for; else 0
};

inline constexpr std::int32_t kNobody = -1;     // no rank, or one that MPI_COMM_WORLD does not hold
inline constexpr std::int32_t kEverybody = -2;  // all ranks of the communicator

// A call that was made. What was not asked for, or cannot be told, is 0 or kNobody.
struct Event {
  const Facts* facts;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  bool succeeded;
  std::uint64_t communicator;  // equal on all its ranks, other for each communicator; 0: none
  std::int32_t to;    // whom this rank gave to, in MPI_COMM_WORLD; of collective calls among neighbours everybody
  std::int32_t from;  // whom it got from; of a wildcard receive the one that it was
  std::uint64_t sent_bytes;      // what this rank put in, once for each rank that gets it by itself
  std::uint64_t received_bytes;  // what it got; of a nonblocking receive nothing yet: Message tells
  std::int32_t requests = 0;     // that it has started, less those that it has ended
};

// A message that no call's own event tells: a nonblocking receive that has completed, a persistent request that was
// started (what it sends; of a collective call all that it moves) or has completed (what it got).
struct Message {
  const Facts* facts;  // the function that made the request: MPI_Irecv, MPI_Send_init
  std::uint64_t communicator;
  std::int32_t to;  // as in Event
  std::int32_t from;
  std::uint64_t sent_bytes;
  std::uint64_t received_bytes;
  std::uint64_t times = 1;  // equal ones that one call completes one after another are told once
};

// An object that a call has made or ended. Null handles and objects that MPI itself predefines are not told when they are made.
struct ObjectChange {
  const Facts* facts;
  ObjectKind kind;
  ObjectAct act;
  std::uint64_t
      handle;   // another one for each object of this kind that is there; of one that is shared the same for each share
  bool inside;  // in a call that is not shown: from a callback of the program, by another tool, or by the MPI itself
};

}  // namespace comity::interpose
