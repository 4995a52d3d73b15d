// SPDX-License-Identifier: BSD-3-Clause
// Packaged programs without any of them: what their answers are read from, what they are given, where they are looked for.
#include "cli/bench/subject/packaged_programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/bench/coop.hpp"
#include "cli/bench/subject/scratch_folder.hpp"

namespace comity::cli::bench {
namespace {

TEST(Answer, IsTheNumberBehindTheLastOfItsWords) {
  const char* const text = "energy: 1\nTotal energy [a.u.]: -1.25000001 (done 7)\n";
  EXPECT_EQ(read_answer(text, "energy", 3), "-1.25e+00");
  EXPECT_EQ(read_answer(text, "Total energy [a.u.]:", 9), "-1.25000001e+00");
}

TEST(Answer, WithoutWordsIsTheLastNumberOfAll) { EXPECT_EQ(read_answer(" -575.1\n -579.5\n", "", 4), "-5.795e+02"); }

TEST(Answer, IsNoneWhereThereIsNoNumber) {
  EXPECT_EQ(read_answer("energy: none", "energy:", 4), std::nullopt);
  EXPECT_EQ(read_answer("12", "energy:", 4), std::nullopt);
  EXPECT_EQ(read_answer("", "", 4), std::nullopt);
}

TEST(Packaged, ProgramsHaveCasesWithAGoal) {
  std::size_t cases = 0;
  for (const PackagedProgram& program : packaged_programs()) {
    for (const std::string_view name : {program.hybrid_case, program.crowded_case}) {
      if (name.empty()) continue;
      ++cases;
      EXPECT_TRUE(coop_goal(name)) << name;
      EXPECT_EQ(packaged_of_case(name), &program);
    }
  }
  EXPECT_GT(cases, packaged_programs().size());
  EXPECT_EQ(packaged_of_case(""), nullptr);
  EXPECT_EQ(packaged_of_case("crowded_8"), nullptr);
}

// Each argument that names a file of the input names one that is written, or that the run before makes.
TEST(Packaged, ProgramsAreGivenTheFilesThatTheyAreToldOf) {
  for (const PackagedProgram& program : packaged_programs()) {
    const ScratchFolder folder;
    program.write_input(folder.path());
    EXPECT_FALSE(std::filesystem::is_empty(folder.path())) << program.package;
    const std::vector<std::string_view>& words = program.before.empty() ? program.arguments : program.before;
    for (auto word = words.begin(); word != words.end(); ++word) {
      const bool is_made = word != words.begin() && *(word - 1) == "-o";
      if (word->find('.') == word->npos || is_made) continue;
      EXPECT_TRUE(std::filesystem::exists(folder.path() + "/" + std::string(*word)))
          << program.package << ": " << *word;
    }
  }
}

// Its columns are fixed: numbers run together where one is too wide.
TEST(Packaged, WaterHasThreeAtomsAMoleculeInLinesOfOneWidth) {
  const ScratchFolder folder;
  packaged_of_case("hybrid_2x2_gromacs")->write_input(folder.path());
  std::ifstream file(folder.path() + "/water.gro");
  std::string title, line;
  std::size_t atoms = 0;
  std::getline(file, title);
  file >> atoms;
  std::getline(file, line);
  EXPECT_EQ(atoms % 3, 0U);
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    ASSERT_TRUE(std::getline(file, line));
    ASSERT_EQ(line.size(), 44U) << line;
  }
}

TEST(Packaged, ProgramThatIsNotThereIsToldWithItsPackage) {
  const char* const path = std::getenv("PATH");
  const std::string former = path == nullptr ? "" : path;
  ::setenv("PATH", "/nowhere", 1);
  const FoundProgram found = find_packaged(*packaged_of_case("crowded_8_lammps"), "openmpi");
  ::setenv("PATH", former.c_str(), 1);
  EXPECT_EQ(found.path, "");
  EXPECT_EQ(found.why_not, "lmp is not on the PATH (Debian's package lammps)");
}

}  // namespace
}  // namespace comity::cli::bench
