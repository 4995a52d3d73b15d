// SPDX-License-Identifier: BSD-3-Clause
// UnderWay: by how many a call changes the number of requests that are started and not completed, as its handles tell: one
// that the call makes, less those that it ends. Requests that persist stay as they are: how many of them are started, and
// which messages requests are, is followed (following).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "interpose/arguments.hpp"
#include "interpose/handles.hpp"
#include "interpose/watch.hpp"

namespace comity::interpose {

template <class Function>
class UnderWay {
 public:
  // Before the call.
  UnderWay(const Arguments<Function>& call, const Watch& watch) : call_(call) {
    if (watch.depth >= Depth::times && ends()) before_ = held();
  }

  // After it.
  [[nodiscard]] std::int32_t change(const Watch& watch, bool succeeded) const {
    if (watch.depth < Depth::times) return 0;
    if (ends()) return held() - before_;
    return makes() && succeeded && *call_.request() != no_request() ? 1 : 0;
  }

 private:
  [[nodiscard]] bool ends() const { return call_.row.rule == Rule::complete || call_.row.rule == Rule::free_request; }
  [[nodiscard]] bool makes() const {
    const Kind kind = call_.row.kind;
    const bool persists = kind == Kind::setup || kind == Kind::start;
    return !persists && kind != Kind::completion && call_.row.at.request != kAbsent;
  }

  // In line: this is asked once a message.
  [[nodiscard]] static MPI_Request no_request() {
    static const MPI_Request none = handles().no_request;
    return none;
  }

  [[nodiscard]] std::int32_t held() const {
    const MPI_Request none = no_request();
    if (call_.row.at.requests == kAbsent) return *call_.request() != none ? 1 : 0;
    const MPI_Request* const requests = call_.requests();
    const std::int64_t count = call_.count(call_.row.at.count, false, 0);
    std::int32_t found = 0;
    for (std::int64_t i = 0; i < count; ++i) found += requests[i] != none ? 1 : 0;
    return found;
  }

  const Arguments<Function>& call_;
  std::int32_t before_ = 0;
};

}  // namespace comity::interpose
