// SPDX-License-Identifier: BSD-3-Clause
#include "app/command_line.hpp"

#include <gtest/gtest.h>

namespace twomesh::app {
namespace {

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "twomesh");
  return parse_command_line(static_cast<int>(words.size()), words.data(), {"sod", "remap"});
}

void expect_refusal(const std::vector<const char*>& words, const std::string& part) {
  const Parsed parsed = parse(words);
  ASSERT_TRUE(parsed.exit_status.has_value());
  EXPECT_EQ(*parsed.exit_status, 2);
  EXPECT_NE(parsed.text.find(part), std::string::npos) << parsed.text;
}

TEST(CommandLine, RunsUnderWithItsDefaultsWithoutAWord) {
  const Parsed parsed = parse({});
  EXPECT_FALSE(parsed.exit_status.has_value());
  EXPECT_EQ(parsed.options.mode, Mode::under);
  EXPECT_FALSE(parsed.options.steps.has_value());
}

TEST(CommandLine, TakesEveryOption) {
  const Parsed parsed = parse({"--mode", "comity-callee", "--config=a.toml", "--threads", "3", "--steps", "5", "--json",
                               "r.json", "--timeline", "t.json", "--expect", "e.json"});
  ASSERT_FALSE(parsed.exit_status.has_value()) << parsed.text;
  EXPECT_EQ(parsed.options.mode, Mode::comity_callee);
  EXPECT_EQ(parsed.options.config_file, "a.toml");
  EXPECT_EQ(parsed.options.threads, 3);
  EXPECT_EQ(parsed.options.steps, 5);
}

TEST(CommandLine, TakesChecksWithThreadsAndAResult) {
  const Parsed parsed = parse({"--check", "sod", "--check", "remap", "--threads", "3", "--json", "r.json"});
  ASSERT_FALSE(parsed.exit_status.has_value()) << parsed.text;
  EXPECT_EQ(parsed.options.checks, (std::vector<std::string>{"sod", "remap"}));
}

TEST(CommandLine, RefusesWhatHasNoMeaningBesideChecks) {
  for (const char* option : {"--mode=under", "--config=a.toml", "--steps=7", "--timeline=t.json", "--expect=e.json"}) {
    const std::string word = option;
    expect_refusal({"--check", "sod", option}, word.substr(0, word.find('=')) + " has no meaning beside --check");
  }
}

TEST(CommandLine, HelpTeachesModesAndExamples) {
  const Parsed parsed = parse({"--help"});
  EXPECT_EQ(parsed.exit_status, 0);
  for (const std::string_view mode : kModeNames) {
    EXPECT_NE(parsed.text.find("\n  " + std::string(mode) + ' '), std::string::npos) << mode;
  }
  for (const char* part : {"--timeline", "mpirun"}) EXPECT_NE(parsed.text.find(part), std::string::npos);
}

TEST(CommandLine, NamesTheNearestOptionModeAndCheck) {
  for (const char* const option : {"--config", "--json", "--timeline", "--expect"})
    expect_refusal({option, ""}, std::string(option) + " names no file");
  expect_refusal({"--treads", "2"}, "unknown option --treads; did you mean --threads?");
  expect_refusal({"--mode", "comity-caller"}, "did you mean comity-callee?");
  expect_refusal({"--mode", "full-und"}, "did you mean full-under?");
  expect_refusal({"--check", "remaps"}, "did you mean remap?");
}

TEST(CommandLine, RefusesNumbersOutOfRange) {
  expect_refusal({"--steps", "0"}, "--steps");
  expect_refusal({"--threads", "-1"}, "--threads");
  expect_refusal({"--steps", "many"}, "--steps");
}

TEST(CommandLine, ReadsNumbersAsTheyAreWritten) {
  for (const char* const option : {"--steps", "--threads"}) {
    for (const char* const word : {"010", "0x10", "1e3", "+5", " 5", ""}) {
      expect_refusal({option, word}, std::string(option) + ": \"" + word + "\" is no whole number");
    }
  }
  EXPECT_EQ(parse({"--threads", "0"}).options.threads, 0);
  EXPECT_EQ(parse({"--steps", "10"}).options.steps, 10);
}

}  // namespace
}  // namespace twomesh::app
