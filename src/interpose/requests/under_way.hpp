// SPDX-License-Identifier: BSD-3-Clause
// UnderWay: by how many a call changes the number of requests that are started and not completed, as its handles tell: one
// that the call makes, less those that it ends. Requests that persist stay as they are: how many of them are started, and
// which messages requests are, is followed (following).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>

#include "interpose/handles.hpp"
#include "interpose/watch.hpp"

namespace comity::interpose {

template <unsigned kFunction, class Arguments>
class UnderWay {
 public:
  // Before the call.
  UnderWay(Arguments& arguments, const Watch& watch) : arguments_(arguments), on_(watch.depth >= Depth::times) {
    if constexpr (kEnds) before_ = on_ ? held() : 0;
  }

  // After it.
  [[nodiscard]] std::int32_t change(bool succeeded) {
    if (!on_) return 0;
    if constexpr (kEnds) return held() - before_;
    if constexpr (kMakes) {
      if (succeeded) return *std::get<kRow.at.request>(arguments_) != no_request() ? 1 : 0;
    }
    static_cast<void>(succeeded);
    return 0;
  }

 private:
  static constexpr const Row& kRow = kRows[kFunction];
  static constexpr bool kEnds = kRow.rule == Rule::complete || kRow.rule == Rule::free_request;
  static constexpr bool kPersists = kRow.kind == Kind::setup || kRow.kind == Kind::start;
  static constexpr bool kLocal = kRow.kind == Kind::local && kRow.name != "MPI_Grequest_start";
  static constexpr bool kMakes =
      !kEnds && !kPersists && !kLocal && kRow.kind != Kind::completion && kRow.at.request != kAbsent;

  // In line: this is asked once a message.
  [[nodiscard]] static MPI_Request no_request() {
    static const MPI_Request none = handles().no_request;
    return none;
  }

  [[nodiscard]] std::int32_t held() {
    const MPI_Request none = no_request();
    if constexpr (kRow.at.requests != kAbsent) {
      const MPI_Request* const requests = std::get<kRow.at.requests>(arguments_);
      const std::int64_t count = std::get<kRow.at.count>(arguments_);
      std::int32_t found = 0;
      for (std::int64_t i = 0; i < count; ++i) found += requests[i] != none ? 1 : 0;
      return found;
    } else {
      return *std::get<kRow.at.request>(arguments_) != none ? 1 : 0;
    }
  }

  Arguments& arguments_;
  bool on_;
  std::int32_t before_ = 0;
};

}  // namespace comity::interpose
