// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "base/spelling.hpp"

namespace comity {
namespace {

Options with(std::map<std::string, std::string, std::less<>> values) {
  return Options([&](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  });
}

TEST(Options, UnsetVariablesHaveTheFallbackOfTheirRow) {
  const Options options;
  for (std::size_t i = 0; i < kOptionTable.size(); ++i) {
    EXPECT_EQ(options.text(static_cast<OptionId>(i)), kOptionTable[i].fallback);
    EXPECT_FALSE(options.is_set(static_cast<OptionId>(i)));
  }
}

TEST(Options, ASetVariableWins) {
  const Options options = with({{"COMITY_NODE_SLICE_MS", "20"}});
  EXPECT_EQ(options.number(OptionId::node_slice_ms), 20);
  EXPECT_TRUE(options.is_set(OptionId::node_slice_ms));
}

TEST(Options, ValuesOutsideTheirRangeNameVariableValueAndRange) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"COMITY_NODE_SLICE_MS", "9"},
                                                        {"COMITY_NODE_SLICE_MS", "501"},
                                                        {"COMITY_NODE_SLICE_MS", "9223372036854775807"},
                                                        {"COMITY_NODE_SLICE_MS", "18446744073709551615"},
                                                        {"COMITY_NODE_SPIN_US", "9223372036854775807"},
                                                        {"COMITY_NODE_SPIN_US", "-9223372036854775808"},
                                                        {"COMITY_NODE_SPIN_US", "18446744073709551615"},
                                                        {"COMITY_NODE_SPIN_US", "12x"},
                                                        {"COMITY_NODE_HANDOVER", "pipe"},
                                                        {"COMITY_NODE_DIRECTORY", ""},
                                                        {"COMITY_NODE_DIRECTORY", "tmp"},
                                                        {"COMITY_NODE_DIRECTORY", "./tmp"},
                                                        {"COMITY_RECORD_DIRECTORY", "out"},
                                                        {"COMITY_RECORD_BUDGET_KB", "63"},
                                                        {"COMITY_METRICS", "yes"},
                                                        {"COMITY_METRICS_JSON", "figures.json"},
                                                        {"COMITY_LOG", ""}}) {
    try {
      (void)with({{name, value}});
      FAIL() << name << "=" << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::option);
      EXPECT_NE(std::string(error.what()).find(name + "=" + value), std::string::npos) << error.what();
    }
  }
}

TEST(Options, AFolderMayBeEmptyWhereThatIsItsDefault) {
  EXPECT_EQ(with({{"COMITY_RECORD_DIRECTORY", ""}}).text(OptionId::record_directory), "");
  EXPECT_EQ(with({{"COMITY_RECORD_DIRECTORY", "/tmp/run"}}).text(OptionId::record_directory), "/tmp/run");
}

TEST(Options, ATextMayBeAny) {
  for (const char* const text : {"", "mpirun@20-n@202", "a b"}) {
    EXPECT_EQ(with({{"COMITY_RECORD_LAUNCHER", text}}).text(OptionId::record_launcher), text);
  }
}

TEST(Options, AnUnknownNameGetsTheNearestKnownOne) {
  const auto unknown = unknown_options({"HOME", "COMITY_LOG", "COMITY_NODE_SLICE", "COMITY_QQQQQQQQQQQQQQQQQ"});
  ASSERT_EQ(unknown.size(), 2U);
  EXPECT_EQ(unknown[0].nearest, "COMITY_NODE_SLICE_MS");
  EXPECT_EQ(unknown[1].nearest, "");
}

TEST(Options, ANameWithoutItsAreaOrItsUnitGetsTheWholeOne) {
  const auto unknown = unknown_options({"COMITY_SPIN", "COMITY_OPENMP", "COMITY_SPIN_SLICE_US_NODE"});
  ASSERT_EQ(unknown.size(), 3U);
  EXPECT_EQ(unknown[0].nearest, "COMITY_NODE_SPIN_US");
  EXPECT_EQ(unknown[1].nearest, "COMITY_CONTEXT_OPENMP");
  EXPECT_EQ(unknown[2].nearest, "") << "its parts stand in no name in this order";
}

TEST(Spelling, DistanceCountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("topo", "topo"), 0U);
  EXPECT_EQ(edit_distance("tpoo", "topo"), 1U);
  EXPECT_EQ(edit_distance("", "topo"), 4U);
  EXPECT_EQ(edit_distance("doctr", "doctor"), 1U);
}

}  // namespace
}  // namespace comity
