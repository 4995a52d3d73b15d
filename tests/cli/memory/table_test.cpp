// SPDX-License-Identifier: BSD-3-Clause
// How a view of memory is shown: figures as they are, within 80 columns, and what is said beside them.
#include "cli/memory/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/memory/json.hpp"

namespace comity::cli {
namespace {

using memory::Component;

constexpr std::uint64_t kMiB = 1 << 20;
const memory::Components kNames;

memory::ComponentUse use(std::uint64_t rss_mib, std::uint64_t pss_mib) {
  memory::ComponentUse one;
  one.use.rss = rss_mib * kMiB;
  one.use.pss = pss_mib * kMiB;
  one.use.private_dirty = pss_mib * kMiB;
  return one;
}

void put(memory::Attribution& told, Component component, const memory::ComponentUse& use) {
  told.components[static_cast<std::size_t>(component)] = use;
  told.total += use.use;
}

ProcessView process(pid_t number) {
  ProcessView view;
  view.process = number;
  view.command = "/opt/bin/solver --steps 4";
  view.seen.totals.resident = 100 * kMiB;
  view.seen.totals.virtual_size = 300 * kMiB;
  view.seen.totals.page_tables = kMiB;
  view.seen.peak_bytes = 120 * kMiB;
  view.seen.told.emplace();
  put(*view.seen.told, Component::application, use(60, 60));
  put(*view.seen.told, Component::mpi, use(30, 20));
  put(*view.seen.told, Component::fabric, use(10, 5));
  return view;
}

MemoryView view_of(std::vector<ProcessView> processes) {
  MemoryView view;
  view.host = "n1";
  view.processes = std::move(processes);
  view.node.total = 1024 * kMiB;
  view.components = &kNames;
  return view;
}

std::string text(const ProcessView& process) { return memory_text({}, view_of({process}), 80); }

bool says(const std::string& text, std::string_view part) {
  std::string joined = text;  // lines are wrapped
  for (char& letter : joined) letter = letter == '\n' ? ' ' : letter;
  return joined.find(part) != std::string::npos;
}

TEST(MemoryTable, ShowsAComponentALineTheLargestShareFirst) {
  ProcessView one = process(4711);
  one.rank = 3;
  EXPECT_EQ(text(one),
            "pid 4711, rank 3: solver --steps 4\n"
            "resident 100 MiB, at its peak 120 MiB; virtual 300 MiB; page tables 1 MiB\n"
            "\n"
            "  component    RSS      PSS     USS\n"
            "  application  60 MiB   60 MiB  60 MiB\n"
            "  mpi          30 MiB   20 MiB  20 MiB\n"
            "  fabric       10 MiB   5 MiB   5 MiB\n"
            "  all          100 MiB  85 MiB  85 MiB\n"
            "MPI and what it brought (mpi, pmix, fabric, support): 40 MiB RSS, 25 MiB PSS,\n"
            "without its heap.\n");
}

TEST(MemoryTable, FiguresThatMostProgramsLackHaveAColumnWhereThereAreSome) {
  ProcessView one = process(1);
  EXPECT_EQ(text(one).find("hugetlb"), std::string::npos);
  memory::ComponentUse huge = use(0, 0);
  huge.use.private_hugetlb = 8 * kMiB;
  huge.use.locked = 2 * kMiB;
  put(*one.seen.told, Component::hugetlb, huge);
  EXPECT_TRUE(says(text(one), "USS      locked   hugetlb"));
  EXPECT_TRUE(says(text(one), "0 bytes  2 MiB    8 MiB"));
}

TEST(MemoryTable, AResidualAboveAPercentIsLoud) {
  ProcessView one = process(1);
  one.seen.told->total.rss += kMiB / 2;
  EXPECT_FALSE(says(text(one), "differs"));
  one.seen.told->total.rss += kMiB;
  EXPECT_TRUE(says(text(one), "The kernel's own sum differs by 1.5 MiB RSS (1.5 %) and 0 bytes PSS (0.0 %)"))
      << text(one);
  one.seen.told->total.pss -= 2 * kMiB;
  EXPECT_TRUE(says(text(one), "-2 MiB PSS (2.4 %)")) << text(one);
}

TEST(MemoryTable, MemoryThatIsMostlyFarIsSaidWithWhatToTry) {
  ProcessView one = process(7);
  one.cpus = "0-3";
  one.nearness = {.near_bytes = 60 * kMiB, .far_bytes = 40 * kMiB};
  EXPECT_FALSE(says(text(one), "NUMA"));
  one.nearness = {.near_bytes = 25 * kMiB, .far_bytes = 75 * kMiB};
  EXPECT_TRUE(
      says(text(one), "pid 7: 75.0 % of its memory lies on NUMA nodes far from the CPUs that it may use (0-3)."))
      << text(one);
  EXPECT_TRUE(says(text(one), "numactl --localalloc"));
}

TEST(MemoryTable, NodesHaveAColumnWhereTheyAreKnown) {
  ProcessView one = process(7);
  one.seen.told->components[static_cast<std::size_t>(Component::mpi)].nodes = {{0, 10 * kMiB}, {1, 20 * kMiB}};
  EXPECT_TRUE(says(text(one), "on nodes"));
  EXPECT_TRUE(says(text(one), "0: 10 MiB, 1: 20 MiB"));
}

TEST(MemoryTable, WhatCannotBeKnownIsSaid) {
  ProcessView one = process(7);
  EXPECT_FALSE(says(text(one), "cannot be told from outside"));
  put(*one.seen.told, Component::heap, use(5, 5));
  EXPECT_TRUE(says(text(one), "cannot be told from outside"));
  one.seen.told->statically_linked = true;
  one.seen.ended = true;
  one.mappings_age_s = 12;
  one.seen.cost_ns = 130000000;
  EXPECT_TRUE(says(text(one), "pid 7 is linked statically"));
  EXPECT_TRUE(says(text(one), "pid 7 has ended; this is how it was last seen"));
  EXPECT_TRUE(says(text(one), "Components as of 12.0 s ago: to read them took 130 ms")) << text(one);
}

TEST(MemoryTable, SegmentsAreNamedTheLargestFirst) {
  ProcessView one = process(7);
  one.seen.told->segments = {
      {.name = "/dev/shm/vader_segment.n1.0 (deleted)",
       .inode = 1,
       .maker = Component::mpi,
       .use = use(4, 2).use,
       .virtual_bytes = 8 * kMiB},
      {.name = "/memfd:mine (deleted)", .inode = 2, .use = use(9, 9).use, .virtual_bytes = 9 * kMiB}};
  EXPECT_TRUE(says(text(one),
                   "segment             maker  mapped  RSS    PSS   /memfd:mine         -      9 MiB   9 MiB  9 MiB   "
                   "vader_segment.n1.0  mpi    8 MiB   4 MiB  2 MiB"))
      << text(one);
}

TEST(MemoryTable, OfSeveralProcessesSharesAddUpAndSegmentsAreCountedOnce) {
  ProcessView first = process(1);
  ProcessView second = process(2);
  first.rank = 0;
  second.rank = 1;
  second.seen.ended = true;
  for (ProcessView* each : {&first, &second})
    each->seen.told->segments = {{.name = "/dev/shm/sm", .inode = 5, .use = use(8, 4).use, .virtual_bytes = 8 * kMiB}};
  const std::string told = memory_text({}, view_of({first, second}), 80);
  EXPECT_TRUE(says(told, "2 processes: together 170 MiB (shared pages once), of 1 GiB")) << told;
  EXPECT_TRUE(says(told, "0     1    100 MiB  120 MiB  85 MiB  85 MiB  25 MiB   solver --steps 4")) << told;
  EXPECT_TRUE(says(told, "(ended) solver")) << told;
  EXPECT_TRUE(says(told, "sm       -      8 MiB   16 MiB  8 MiB  2")) << told;
}

TEST(MemoryTable, TotalsAloneHaveNoComponents) {
  ProcessView one = process(7);
  one.seen.told.reset();
  EXPECT_EQ(text(one),
            "pid 7: solver --steps 4\n"
            "resident 100 MiB, at its peak 120 MiB; virtual 300 MiB; page tables 1 MiB\n");
  EXPECT_TRUE(memory_json(view_of({one}))["processes"][0]["mappings"].is_null());
}

TEST(MemoryTable, TextFitsInto80ColumnsAndHoldsNothingThatMovesATerminal) {
  ProcessView one = process(1234567);
  one.command = "/opt/bin/solver\033[2J " + std::string(200, 'x');
  one.rank = 123456;
  one.seen.totals.locked = one.seen.totals.hugetlb = one.seen.totals.swap = 1023 * kMiB;
  one.seen.told->segments = {{.name = "/dev/shm/\033" + std::string(200, 'y'), .use = use(9, 9).use}};
  const std::string shown = text(one) + memory_text({}, view_of({one, one}), 80);
  EXPECT_EQ(shown.find('\033'), std::string::npos);
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(MemoryTable, JsonHasAllOfIt) {
  ProcessView one = process(7);
  one.seen.told->segments = {
      {.name = "/dev/shm/vader_segment.n1.0", .inode = 1, .maker = Component::mpi, .use = use(4, 2).use}};
  one.seen.told->total.rss += 4096;
  const auto json = memory_json(view_of({one, one}));
  const auto& told = json["processes"][0];
  EXPECT_EQ(told["pid"], 7);
  EXPECT_TRUE(told["rank"].is_null());
  EXPECT_EQ(told["peak_rss_bytes"], 120 * kMiB);
  EXPECT_EQ(told["mappings"]["components"]["mpi"]["pss_bytes"], 20 * kMiB);
  EXPECT_EQ(told["mappings"]["rss_residual_bytes"], 4096);
  EXPECT_EQ(told["mappings"]["segments"][0]["maker"], "mpi");
  EXPECT_EQ(json["together"]["components"]["mpi"]["pss_bytes"], 40 * kMiB);
  EXPECT_EQ(json["together"]["segments"][0]["processes"], 2);
}

}  // namespace
}  // namespace comity::cli
