// SPDX-License-Identifier: BSD-3-Clause
// What `comity bench` understands.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/bench.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/common/arguments.hpp"
#include "record/temporary_folder.hpp"

namespace comity::cli {
namespace {

std::string refusal(const std::vector<std::string>& words) {
  try {
    (void)bench_command(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(BenchWords, AnUnknownBenchmarkGetsTheNearestKnownName) {
  EXPECT_EQ(refusal({"quiecse"}), "there is no benchmark \"quiecse\"; did you mean quiesce?");
}

TEST(BenchWords, AMissingNameSaysWhichThereAre) { EXPECT_NE(refusal({}).find("quiesce"), std::string::npos); }

TEST(BenchWords, AnUnknownMpiGetsTheNearestKnownName) {
  EXPECT_EQ(refusal({"quiesce", "--mpi", "mpihc"}), "there is no MPI \"mpihc\"; did you mean mpich?");
}

TEST(BenchWords, AnUnknownOptionGetsTheNearestKnownName) {
  EXPECT_NE(refusal({"quiesce", "--time-limits", "3"}).find("--time-limit?"), std::string::npos);
}

TEST(BenchWords, WhatCouldNotBeReadOrWrittenAfterwardsIsRefusedBefore) {
  EXPECT_NE(refusal({"quo", "--picture", "/absent/folder/quo.svg"}).find("cannot be written"), std::string::npos);
  EXPECT_NE(refusal({"quo", "--lib", "original=/absent/libquo.so"}).find("no such file"), std::string::npos);
  EXPECT_NE(refusal({"quo", "--lib", "libquo=/absent/libquo.so"}).find("no such file"), std::string::npos);
  EXPECT_NE(refusal({"quo", "--lib", "/absent/libquo.so"}).find("original=PATH"), std::string::npos);
  EXPECT_NE(refusal({"quo", "--lib", "other=/bin/true"}).find("libquo=PATH"), std::string::npos);
}

TEST(BenchWords, ALibraryOfOneMpiIsNotMeasuredWithAll) {
  const std::string refused = "--lib is built for one MPI: name it, with --mpi openmpi or --mpi mpich";
  EXPECT_EQ(refusal({"quo", "--lib", "original=/bin/true"}), refused);
  EXPECT_EQ(refusal({"quo", "--lib", "original=/bin/true", "--mpi", "all"}), refused);
}

TEST(BenchWords, ANumberThatIsNoneOrOutOfRangeIsRefusedWithWhatTheOptionTakes) {
  for (const char* value : {"abc", "-1", "86401", "1e", "nan", "inf", "5s"}) {
    EXPECT_EQ(refusal({"quiesce", std::string("--time-limit=") + value}),
              "--time-limit takes 0 to 86400 seconds, not \"" + std::string(value) + '"');
  }
  for (const char* value : {"0", "61", "fast"}) {
    EXPECT_EQ(refusal({"quiesce", "--kernel-seconds", value}),
              "--kernel-seconds takes 0.001 to 60 seconds, not \"" + std::string(value) + '"');
  }
  for (const char* value : {"0", "1025", "1.5", "two", "99999999999"}) {
    EXPECT_EQ(refusal({"quo", "--ranks", std::string("2,") + value}),
              "--ranks takes numbers from 1 to 1024 with commas between them, not \"" + std::string(value) + '"');
  }
}

TEST(BenchWords, AnUnknownCaseGetsTheNearestKnownName) {
  EXPECT_EQ(refusal({"coop", "--cases", "idle_cpu,latency_8"}),
            "there is no case \"latency_8\" of bench coop; did you mean latency_8B?");
}

TEST(BenchWords, CasesAreThoseOfTheBenchmark) {
  EXPECT_EQ(refusal({"memory", "--cases", "size"}), "there is no case \"size\" of bench memory; did you mean sizes?");
  EXPECT_EQ(refusal({"sched", "--cases", "fib,fib_1s"}),
            "there is no case \"fib_1s\" of bench sched; did you mean fib_1us?");
  EXPECT_NE(refusal({"coop", "--cases", "sizes"}).find("there is no case \"sizes\" of bench coop"), std::string::npos);
  EXPECT_EQ(refusal({"place", "--cases", "command"}),
            "there is no case \"command\" of bench place; did you mean commands?");
}

TEST(BenchWords, JobsAreNumbersOfRandomJobs) {
  for (const char* value : {"1000", "9-3", "5-", "-", "x"}) {
    const std::string told = refusal({"place", "--jobs", std::string("7,") + value});
    EXPECT_TRUE(told.starts_with("--jobs takes numbers from 0 to 999 with commas between them, and ranges")) << told;
  }
  EXPECT_EQ(refusal({"place", "--cases", "grids", "--jobs", "17"}),
            "--jobs chooses among the random jobs, which --cases leaves out; add random there, or leave --jobs out");
}

TEST(BenchWords, AnOptionOfAnotherBenchmarkIsRefused) {
  const comity::testing::TemporaryFolder folder;
  const std::string picture = folder / "words.svg";
  const std::vector<std::vector<std::string>> cases{
      {"quiesce", "--ranks", "3"},        {"quiesce", "--lib", "original=/bin/true"}, {"quiesce", "--picture", picture},
      {"quo", "--kernel-seconds", "0.1"}, {"quiesce", "--cases", "idle_cpu"},         {"quiesce", "--jobs", "7"}};
  for (const auto& words : cases) {
    const std::string owner = words[0] == "quo"         ? "quiesce and coop"
                              : words[1] == "--cases"   ? "coop, memory, sched and place"
                              : words[1] == "--jobs"    ? "place"
                              : words[1] == "--picture" ? "quo and memory"
                                                        : "quo";
    EXPECT_EQ(refusal(words),
              words[1] + " has no meaning for bench " + words[0] + "; it is an option of bench " + owner);
  }
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(BenchWords, APictureIsNotBegunWhereOtherWordsAreRefused) {
  const comity::testing::TemporaryFolder folder;
  const std::string picture = folder / "unbegun.svg";
  EXPECT_NE(refusal({"quo", "--picture", picture, "--mpi", "openmpi", "--lib", "original=/absent"}), "");
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(BenchWords, AProgramThatIsNotBesideTheCommandIsNotFound) {
  try {
    (void)bench_command(std::vector<std::string>{"quiesce", "--mpi", "mpich"});
    FAIL() << "a test program has no benchmarks beside it";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_found);
  }
}

TEST(BenchLaunch, NoRankIsBoundByTheLauncherOfEitherMpi) {
  for (const std::string mpi : {"openmpi", "mpich"}) {
    const std::vector<std::string> words = bench::launch_words("quiesce", mpi, 4, {"--case", "comity"});
    EXPECT_NE(words[0].find("mpirun"), std::string::npos) << words[0];
    EXPECT_EQ(words[2], "4");
    EXPECT_TRUE(words[3].ends_with("-bind-to"));
    EXPECT_EQ(words[4], "none");
    EXPECT_EQ(words.back(), "comity");
  }
}

TEST(BenchLaunch, AProgramThatFailsIsAnErrorThatQuotesIt) {
  try {
    (void)bench::run_for_json_line({"sh", "-c", "echo the reason; exit 3"}, std::chrono::seconds(10));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exit code 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("the reason"), std::string::npos);
  }
}

TEST(BenchLaunch, TheLineOfJsonIsFoundAmongWhatElseIsSaid) {
  const std::string line = bench::run_for_json_line(
      {"sh", "-c", "echo a warning; echo '{\"case\": \"ideal\"}'; echo another"}, std::chrono::seconds(10));
  EXPECT_EQ(line, "{\"case\": \"ideal\"}");
}

TEST(BenchLaunch, AJobOfSeveralNodesIsJudgedByItsLineAlone) {
  const auto line_of = [](const std::string& nodes) {
    return bench::run_for_json_line({"sh", "-c", "echo '{\"case\": \"all\", \"nodes\": " + nodes + "}'; exit 255"},
                                    std::chrono::seconds(10));
  };
  EXPECT_EQ(line_of("2"), "{\"case\": \"all\", \"nodes\": 2}");
  EXPECT_THROW((void)line_of("1"), Error);
}

}  // namespace
}  // namespace comity::cli
