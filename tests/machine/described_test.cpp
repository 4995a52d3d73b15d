// SPDX-License-Identifier: BSD-3-Clause
// Every machine of tests/data/machines answers every line of its .expected file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ask.hpp"
#include "machine/loader.hpp"

namespace comity::machine {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(COMITY_TEST_DATA) / "machines";

std::vector<std::string> names_with(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

class Described : public testing::TestWithParam<std::string> {};

TEST_P(Described, MachineAnswersAsExpected) {
  const Image image = load_xml(kFolder / (GetParam() + ".xml"));
  const Machine machine(image);
  std::ifstream expected(kFolder / (GetParam() + ".expected"));
  ASSERT_TRUE(expected);
  int asked = 0;
  int number = 0;
  for (std::string line; std::getline(expected, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    ASSERT_NE(equals, std::string::npos) << "line " << number << ": no '='";
    const std::string query = trimmed(line.substr(0, equals));
    EXPECT_EQ(ask(machine, query), trimmed(line.substr(equals + 1))) << "line " << number << ": " << query;
    ++asked;
  }
  EXPECT_GE(asked, 10);
}

INSTANTIATE_TEST_SUITE_P(Machines, Described, testing::ValuesIn(names_with(".xml")), [](const auto& machine) {
  std::string name = machine.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// Of hwloc 2.9 only this keeps it from giving the node of a DAX device a name by itself.
TEST(DescribedMachines, TheTypeOfADaxDeviceTellsItsMemoryWhereHwlocNamesNone) {
  ASSERT_EQ(setenv("HWLOC_MEMTIERS_GUESS", "none", 1), 0);
  const Image image = load_xml(kFolder / "unnamed-memories.xml");
  unsetenv("HWLOC_MEMTIERS_GUESS");
  const Machine machine(image);
  EXPECT_EQ(ask(machine, "memory_kind 1"), "hbm");
  EXPECT_EQ(ask(machine, "memory_kind 2"), "dram");
  EXPECT_EQ(ask(machine, "memory_kind 3"), "nvm");
}

TEST(DescribedMachines, EachHasItsAnswersAndEachAnswerItsMachine) {
  EXPECT_GE(names_with(".xml").size(), 10U);
  EXPECT_EQ(names_with(".xml"), names_with(".expected"));
}

}  // namespace
}  // namespace comity::machine
