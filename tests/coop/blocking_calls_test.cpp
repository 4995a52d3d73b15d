// SPDX-License-Identifier: BSD-3-Clause
// The table of blocking calls says what the wrappers and the replacements of this MPI say.
#include "coop/blocking_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "coop/cooperator.hpp"
#include "interpose/function.hpp"

// The wrappers' question to who wires them; nobody watches here.
comity::interpose::Subscribers comity::interpose::subscribers() { return {}; }

namespace comity::testing {
namespace {

using coop::BlockingCall;
using coop::Waits;

std::string_view plain_name(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}

bool is_in_the_table(std::string_view name) {
  return std::ranges::any_of(coop::blocking_calls(), [&](const BlockingCall& call) { return call.name == name; });
}

// Replaced for another reason than its wait: to keep the books, to ring its target, or those who wait for it in the library.
bool waits_all_the_same(std::string_view name) {
  if (name.ends_with("_begin")) return true;
  constexpr std::array<std::string_view, 20> kNames{
      "MPI_File_seek_shared", "MPI_File_set_atomicity", "MPI_File_set_info",  "MPI_Intercomm_create",
      "MPI_Intercomm_merge",  "MPI_Comm_disconnect",    "MPI_Comm_free",      "MPI_File_close",
      "MPI_File_sync",        "MPI_File_set_size",      "MPI_File_set_view",  "MPI_Win_complete",
      "MPI_Win_flush",        "MPI_Win_flush_all",      "MPI_Win_lock",       "MPI_Win_lock_all",
      "MPI_Win_start",        "MPI_Win_unlock",         "MPI_Win_unlock_all", "MPI_File_preallocate"};
  return std::ranges::find(kNames, name) != kNames.end();
}

TEST(BlockingCalls, AreThoseOfTheWrappers) {
  for (const interpose::Facts& facts : interpose::kFacts) {
    EXPECT_EQ(facts.blocking, is_in_the_table(plain_name(facts.name))) << facts.name;
  }
}

TEST(BlockingCalls, WaitAsTheyAreReplaced) {
  const coop::Cooperator cooperator{coop::Settings{}};
  for (const interpose::Facts& facts : interpose::kFacts) {
    const Waits waits = coop::waits_in(facts.name);
    if (waits == Waits::never) continue;
    const bool is_replaced = cooperator.replacement(facts) != nullptr && !waits_all_the_same(plain_name(facts.name));
    EXPECT_EQ(is_replaced, waits != Waits::in_library) << facts.name;
  }
}

TEST(BlockingCalls, LargeCountsAreTheirPlainForm) {
  EXPECT_EQ(coop::waits_in("MPI_Recv_c"), Waits::asleep);
  EXPECT_EQ(coop::waits_in("MPI_Gather_c"), Waits::as_started);
  EXPECT_EQ(coop::waits_in("MPI_Win_lock"), Waits::in_library);
  EXPECT_EQ(coop::waits_in("MPI_Win_create_c"), Waits::on_one_node);
  EXPECT_EQ(coop::waits_in("MPI_File_write_at_all_c"), Waits::behind_barrier);
  EXPECT_EQ(coop::waits_in("MPI_Bsend"), Waits::never);
}

TEST(BlockingCalls, WhatIsNoneOfThemNeverWaits) {
  for (const std::string_view name : {"MPI_Comm_rank", "MPI_Irecv", "MPI_Test", "", "_c", "MPI_"}) {
    EXPECT_EQ(coop::waits_in(name), Waits::never) << name;
  }
}

}  // namespace
}  // namespace comity::testing
