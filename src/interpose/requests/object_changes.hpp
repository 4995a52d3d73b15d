// SPDX-License-Identifier: BSD-3-Clause
// ObjectChanges: the object that a call makes or ends. Its handle is read before a call that ends it, for the MPI writes a
// null one there. Not: which calls do (calls.py).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "interpose/requests/requests.hpp"
#include "interpose/watch.hpp"
#include "os/code/loaded_object.hpp"

namespace comity::interpose {

// Whether nobody made it: a null handle, or one that MPI predefines. Where handles are addresses those lie in the MPI's own data
// (or the program's, that holds the one copy), and what is made does not; where they are numbers their first two bits tell.
template <class Handle>
[[nodiscard]] bool is_predefined(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return handle == nullptr || os::loaded_object_at(reinterpret_cast<std::uintptr_t>(handle)).has_value();
  } else {
    constexpr unsigned kKindShift = 30;
    constexpr std::uint32_t kFirstMade = 2;
    return static_cast<std::uint32_t>(handle) >> kKindShift < kFirstMade;
  }
}

template <unsigned kFunction, class Arguments>
class ObjectChanges {
 public:
  explicit ObjectChanges(const Arguments& arguments) : arguments_(arguments) {
    if constexpr (kUse.act == ObjectAct::ends) handle_ = handle();
  }

  template <class R>
  void tell(const Watch& watch, const R& result, bool inside) {
    if constexpr (kUse.act != ObjectAct::none) {
      if (result != MPI_SUCCESS) return;
      if constexpr (kUse.act == ObjectAct::makes) {
        if (is_nobodys()) return;
        handle_ = handle();
      }
      watch.changed({&kFacts[kFunction], kUse.kind, kUse.act, handle_, inside});
    }
  }

 private:
  static constexpr ObjectUse kUse = kRows[kFunction].object;
  static constexpr bool kIsBlock = kUse.kind == ObjectKind::memory;

  [[nodiscard]] auto argument() const { return std::get<kUse.place>(arguments_); }

  // No keyval is predefined that a call could make.
  [[nodiscard]] bool is_nobodys() const {
    if constexpr (kIsBlock || kUse.kind == ObjectKind::keyval)
      return false;
    else
      return is_predefined(*argument());
  }
  [[nodiscard]] std::uint64_t handle() const {
    if (argument() == nullptr) return 0;
    if constexpr (!kIsBlock)
      return key_of(*argument());
    else if constexpr (kUse.act == ObjectAct::makes)
      return key_of(*static_cast<void* const*>(argument()));
    else
      return key_of(argument());
  }

  const Arguments& arguments_;
  std::uint64_t handle_ = 0;
};

}  // namespace comity::interpose
