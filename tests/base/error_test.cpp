// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace comity {
namespace {

TEST(Error, TableRowStandsAtItsCode) {
  for (std::size_t i = 0; i < kStatusTable.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kStatusTable[i].status), i);
    EXPECT_TRUE(kStatusTable[i].name.starts_with("COMITY_"));
    EXPECT_TRUE(kStatusTable[i].text.ends_with("."));
  }
}

TEST(Error, LackOfSpaceIsAMemoryError) {
  EXPECT_EQ(system_error("write", ENOSPC).status(), Status::memory);
  EXPECT_EQ(system_error("map", ENOMEM).status(), Status::memory);
  EXPECT_EQ(system_error("open", EACCES).status(), Status::system);
}

TEST(Error, SystemErrorSaysWhatFailedWhyAndWhatToDo) {
  const Error error = system_error("open /x", ENOENT, "create it");
  EXPECT_STREQ(error.what(), "open /x: No such file or directory (errno 2); create it");
}

}  // namespace
}  // namespace comity
