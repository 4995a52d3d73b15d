// SPDX-License-Identifier: BSD-3-Clause
// How candidates agree on one step of the attach: each tells how its own part went, all see all. Fixed-size,
// so that it travels through Bootstrap::candidate_gather. Not: anything after the attach.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "node/bootstrap.hpp"

namespace comity::node {

// refused: this way does not work here, another may. failed: nobody can go on.
enum class Outcome : std::int32_t { good = 0, refused = 1, failed = 2 };

struct Report {
  Outcome outcome = Outcome::good;
  Status status = Status::ok;
  std::array<char, 248> message{};  // ends with 0

  void set(Outcome how, Status why, std::string_view words);
  [[nodiscard]] std::string words() const { return message.data(); }
};
static_assert(sizeof(Report) == 256);

enum class OnError { refuse, fail };

// Runs a step unless an earlier one went wrong, and notes how it went. With OnError::refuse a lack of memory
// and a version mismatch still fail: no other way would mend them.
// Allocates nothing itself, so that a rank without memory can still tell so.
void note_exception(Report& report, OnError on_error);  // call it in a handler

template <typename Step>
void attempt(Report& report, OnError on_error, Step&& step) {
  if (report.outcome != Outcome::good) return;
  try {
    step();
  } catch (...) {
    note_exception(report, on_error);
  }
}

// Collective over the job: throws on every rank, with the same status, when any rank's report failed. Ranks
// that have no words of their own get `known`, what their neighbours said, or the rank that failed.
void settle(Bootstrap& bootstrap, const Report& mine, const Report& known);

}  // namespace comity::node
