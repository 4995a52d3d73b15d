// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/object_changes.hpp"

#include <mpi.h>

#include <type_traits>

#include "interpose/requests/requests.hpp"
#include "os/code/loaded_object.hpp"

namespace comity::interpose {
namespace {

// Whether nobody made it: a null handle, or one that MPI predefines. Where handles are addresses those lie in the MPI's own data
// (or the program's, that holds the one copy), and what is made does not; where they are numbers their first two bits tell.
template <class Handle>
bool is_predefined(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return handle == nullptr || os::loaded_object_at(reinterpret_cast<std::uintptr_t>(handle)).has_value();
  } else {
    constexpr unsigned kKindShift = 30;
    constexpr std::uint32_t kFirstMade = 2;
    return static_cast<std::uint32_t>(handle) >> kKindShift < kFirstMade;
  }
}

template <class Look>
auto at_handle(ObjectKind kind, const void* where, Look look) {
  switch (kind) {
    case ObjectKind::communicator:
      return look(*static_cast<const MPI_Comm*>(where));
    case ObjectKind::group:
      return look(*static_cast<const MPI_Group*>(where));
    case ObjectKind::datatype:
      return look(*static_cast<const MPI_Datatype*>(where));
    case ObjectKind::request:
      return look(*static_cast<const MPI_Request*>(where));
    case ObjectKind::window:
      return look(*static_cast<const MPI_Win*>(where));
    case ObjectKind::file:
      return look(*static_cast<const MPI_File*>(where));
    case ObjectKind::operation:
      return look(*static_cast<const MPI_Op*>(where));
    case ObjectKind::info:
      return look(*static_cast<const MPI_Info*>(where));
    case ObjectKind::error_handler:
      return look(*static_cast<const MPI_Errhandler*>(where));
    case ObjectKind::keyval:
      return look(*static_cast<const int*>(where));
    case ObjectKind::memory:
      break;
  }
  return look(*static_cast<void* const*>(where));
}

std::uint64_t key_at(ObjectKind kind, const void* where) {
  return at_handle(kind, where, [](auto handle) { return key_of(handle); });
}

// No keyval is predefined that a call could make, and no block.
bool is_nobodys(ObjectKind kind, const void* where) {
  if (kind == ObjectKind::keyval || kind == ObjectKind::memory) return false;
  return at_handle(kind, where, [](auto handle) { return is_predefined(handle); });
}

}  // namespace

void ObjectChanges::look(unsigned function, void* const* at) {
  const ObjectUse use = kRows[function].object;
  argument_ = *static_cast<void* const*>(at[use.place]);
  if (use.act != ObjectAct::ends || argument_ == nullptr) return;
  handle_ = use.kind == ObjectKind::memory ? key_of(argument_) : key_at(use.kind, argument_);
}

void ObjectChanges::tell_change(unsigned function, const Watch& watch, bool inside) {
  const ObjectUse use = kRows[function].object;
  if (use.act == ObjectAct::makes) {
    if (is_nobodys(use.kind, argument_)) return;
    handle_ = key_at(use.kind, argument_);
  }
  watch.changed({&kFacts[function], use.kind, use.act, handle_, inside});
}

}  // namespace comity::interpose
