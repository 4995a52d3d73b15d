// SPDX-License-Identifier: BSD-3-Clause
// MpiObjects: the objects of MPI that a rank has made and not yet freed, by kind and by the place in the program that made them. Its tables
// have a fixed size; what finds no room is counted. Not: who tells (mpi_object_tracker), what the ranks' objects come to (job).
// Invariant: of places, live = made - ended; an object that is shared counts once for each share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/held_mutex.hpp"
#include "interpose/event.hpp"
#include "memory/rank/mpi_caller.hpp"
#include "memory/rank/own_ledger.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

using interpose::ObjectKind;

// As tables of a record have them.
inline constexpr std::array<std::string_view, interpose::kObjectKinds> kObjectKindNames{
    "communicator", "group", "datatype", "request",    "window",      "file",
    "operation",    "info",  "keyval",   "errhandler", "memory block"};

// Whether several who have it may have the same handle.
[[nodiscard]] constexpr bool may_be_shared(ObjectKind kind) {
  return kind == ObjectKind::group || kind == ObjectKind::datatype || kind == ObjectKind::error_handler;
}

class MpiObjects {
 public:
  static constexpr std::size_t kMostObjects = std::size_t{1} << 16U;  // that are followed at once
  static constexpr std::size_t kMostPlaces = 256;                     // in the program

  // Whether somebody follows messages: then requests that never completed are told (left).
  enum class Requests : std::uint8_t { followed, passed_by };

  explicit MpiObjects(Requests requests = Requests::followed);

  // By any thread. `function`: that made it; a name that lives as long as the process.
  void made(ObjectKind kind, std::uint64_t handle, std::string_view function, const CallPath& path) noexcept;
  // So many that nobody will end.
  void left(ObjectKind kind, std::string_view function, const CallPath& path, std::int64_t count) noexcept;
  // Of several with this handle, where it may be shared, the one that was made last: most are freed where they are made. Else the first,
  // for another thread may have got the handle anew before this one tells of the end. One that is not
  // followed is taken for one of those that found no room, if there are any.
  void ended(ObjectKind kind, std::uint64_t handle) noexcept;

  void add_to(record::Content& content) const;

 private:
  using Index = std::uint32_t;  // from 1 on; 0: none

  struct Object {
    std::uint64_t handle;
    Index place;
    Index next;  // of those of one head; the last made first
  };
  struct Place {
    ObjectKind kind = ObjectKind::communicator;
    std::string_view function;
    CallPath path;
    std::string where;
    std::int64_t live = 0;
    std::int64_t made = 0;
  };
  struct Crowd {  // without room
    std::int64_t live = 0;
    std::int64_t made = 0;
  };
  static constexpr std::size_t kHeads = std::size_t{1} << 14U;

  [[nodiscard]] Index& head_of(std::uint64_t handle) noexcept;
  [[nodiscard]] Index take_free() noexcept;
  [[nodiscard]] Index known_place(ObjectKind kind, std::string_view function, const CallPath& path) const noexcept;
  [[nodiscard]] Index place_of(ObjectKind kind, std::string_view function, const CallPath& path,
                               std::unique_lock<HeldMutex>& lock) noexcept;

  Requests requests_;
  mutable HeldMutex mutex_;  // guards all below; never held while MPI is called
  std::array<Index, kHeads> heads_{};
  std::unique_ptr<Object[]> objects_;  // 1 MiB, of which as much is touched as there are objects
  Index used_ = 0;
  Index free_ = 0;
  std::vector<Place> places_;
  std::array<Crowd, interpose::kObjectKinds> crowds_{};
};

// Table of a record (docs/memory.md).
inline constexpr const char* kObjectsTable = "memory.objects";
inline constexpr const char* kRequestsFact = "memory requests";  // absent: they were followed
inline constexpr const char* kPassedBy = "not followed";

}  // namespace comity::memory
