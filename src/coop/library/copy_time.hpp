// SPDX-License-Identifier: BSD-3-Clause
// CopyTime: what a message adds to the copies of this thread (copies.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "coop/copies.hpp"
#include "interpose/requests/type_size.hpp"

namespace comity::coop {

class CopyTime {
 public:
  // Of the call that this thread is in.
  template <class Count>
  static void add(Count count, MPI_Datatype type) {
    if (may_be_large(count, type)) Copies::add(large_bytes(count, type));
  }
  template <class Count>
  static void add_started(Count count, MPI_Datatype type) {
    if (may_be_large(count, type)) Copies::add_started(large_bytes(count, type));
  }
  template <class Count>
  static void keep_for_detach(Count count, MPI_Datatype type) {
    if (may_be_large(count, type)) Copies::keep_for_detach(large_bytes(count, type));
  }

 private:
  // Smaller messages are over sooner than anybody falls asleep, and are not to pay for this: most are of few elements of the
  // type of the last one.
  static constexpr int kMany = 4096;
  static constexpr std::uint64_t kLargeBytes = 16384;
  static constexpr std::uint64_t kSmallType = 2 * kLargeBytes / kMany;

  template <class Count>
  [[nodiscard]] static bool may_be_large(Count count, MPI_Datatype type) {
    return count >= kMany || (count > 0 && type != small_type_);
  }
  template <class Count>
  [[nodiscard]] static std::uint64_t large_bytes(Count count, MPI_Datatype type) {
    const std::uint64_t of_one = interpose::size_of(type);
    if (of_one <= kSmallType) small_type_ = type;
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * of_one;
    return bytes < kLargeBytes ? 0 : bytes;
  }

  static inline constinit thread_local MPI_Datatype small_type_ __attribute__((tls_model("initial-exec"))) = {};
};

// On the stack of a call that waits for that message.
class CopiesOfCall {
 public:
  template <class Count>
  CopiesOfCall(Count count, MPI_Datatype type) {
    CopyTime::add(count, type);
  }
  ~CopiesOfCall() { Copies::end_of_call(); }
  CopiesOfCall(const CopiesOfCall&) = delete;
  CopiesOfCall& operator=(const CopiesOfCall&) = delete;
};

}  // namespace comity::coop
