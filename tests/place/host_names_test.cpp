// SPDX-License-Identifier: BSD-3-Clause
// One host may have several names, and two hosts may have names alike.
#include "place/host_names.hpp"

#include <gtest/gtest.h>

namespace {

using namespace comity::place;
using Numbers = std::vector<std::size_t>;

TEST(HostNames, ThatEachHostHasForItself) {
  for (const char* name : {"localhost", "localhost.localdomain", "127.0.0.1", "127.1.2.3"}) {
    EXPECT_TRUE(is_own_name(name)) << name;
  }
  for (const char* name : {"n1", "localhost1", "n1.localhost", "10.0.0.1", "10.127.0.0"}) {
    EXPECT_FALSE(is_own_name(name)) << name;
  }
}

// "10" of an address is no host's short name.
TEST(HostNames, AddressesAreTheirOwnNamesAlone) {
  EXPECT_EQ(short_name("10.0.0.1"), "10.0.0.1");
  EXPECT_TRUE(may_be_one_host("10.0.0.1", "10.0.0.1"));
  for (const char* name : {"10.0.0.2", "10", "10.0", "10.0.0.1.site"}) {
    EXPECT_FALSE(may_be_one_host("10.0.0.1", name)) << name;
    EXPECT_FALSE(may_be_one_host(name, "10.0.0.1")) << name;
  }
}

// Parts of a domain were taken for two domains.
TEST(HostNames, MayLeaveOutTheEndOfTheDomain) {
  const std::string whole = "n1.site.example.org";
  EXPECT_EQ(short_name(whole), "n1");
  for (const char* name : {"n1", "n1.site", "n1.site.example", "n1.site.example.org"}) {
    EXPECT_TRUE(may_be_one_host(whole, name)) << name;
    EXPECT_TRUE(may_be_one_host(name, whole)) << name;
  }
  for (const char* name : {"n", "n1.si", "n1.example.org", "n1.site.example.com", "n2.site.example.org"}) {
    EXPECT_FALSE(may_be_one_host(whole, name)) << name;
    EXPECT_FALSE(may_be_one_host(name, whole)) << name;
  }
}

TEST(HostNames, FindTheOneThatIsCalledSoOrAllThatMayBe) {
  const HostNames names({"n1.site", "n1.site.example.org", "n2.a", "n2.b", "n3", "10.0.0.1"});
  EXPECT_EQ(names.find("n1.site"), (Numbers{0}));
  EXPECT_EQ(names.find("n1.site.example.org"), (Numbers{1}));
  EXPECT_EQ(names.find("n1"), (Numbers{0, 1}));
  EXPECT_EQ(names.find("n1.site.example"), (Numbers{0, 1}));
  EXPECT_EQ(names.find("n1.other"), Numbers{});
  EXPECT_EQ(names.find("n2"), (Numbers{2, 3}));
  EXPECT_EQ(names.find("n2.b"), (Numbers{3}));
  EXPECT_EQ(names.find("n2.c"), Numbers{});
  EXPECT_EQ(names.find("n3.anywhere"), (Numbers{4}));
  EXPECT_EQ(names.find("10.0.0.1"), (Numbers{5}));
  EXPECT_EQ(names.find("10"), Numbers{});
  EXPECT_EQ(names.find(""), Numbers{});
}

}  // namespace
