// SPDX-License-Identifier: BSD-3-Clause
// conformance questions|moves|two-sockets|no-sockets|memory-alone [RULE...]: checks the rules of QUO's interface, all of that
// kind or those that are named, on every rank, and says which do not hold; the last three kinds are of the machines that
// HWLOC_SYNTHETIC or HWLOC_XMLFILE is to name. With LIBQUO=PATH it judges that library.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "judged.hpp"
#include "rules.hpp"
#include "threads.hpp"

namespace {

using conform::Rule;

int rank = 0;
conform::Node my_node;
std::vector<std::string> problems;  // of the rule that is checked now, on this rank
std::string untested;

bool is_asked(const Rule& rule, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  for (const std::string& name : names) {
    if (name == rule.name) return true;
  }
  return false;
}

void print_problems() {
  for (const std::string& problem : problems) std::printf("  rank %d: %s\n", rank, problem.c_str());
  (void)std::fflush(stdout);
}

enum class Verdict { holds, broken, skipped };

// What all ranks have found, told together; all of them return the same.
Verdict tell(const Rule& rule) {
  int count = static_cast<int>(problems.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  conform::finish(request);
  const Verdict verdict = count > 0 ? Verdict::broken : untested.empty() ? Verdict::holds : Verdict::skipped;
  if (rank == 0) {
    const char* const word = verdict == Verdict::broken ? "FAIL" : verdict == Verdict::holds ? "holds" : "NOT TESTED";
    std::printf("%s: %s%s%s\n", word, rule.name, untested.empty() ? "" : ": ", untested.c_str());
  }
  print_problems();
  return verdict;
}

Verdict judge(const Rule& rule) {
  problems.clear();
  untested.clear();
  conform::bind_all(conform::all_cpus());
  conform::meet();
  rule.check();
  conform::bind_all(conform::all_cpus());
  return tell(rule);
}

std::vector<std::span<const Rule>> rules_before_init() {
  return {conform::early_rules(), conform::early_quiet_rules()};
}

// A rule that was checked where ranks could not yet tell of it.
struct Found {
  const Rule* rule;
  std::vector<std::string> problems;
};

std::vector<Found> check_early(const std::vector<std::string>& names) {
  std::vector<Found> all;
  for (const std::span<const Rule> rules : rules_before_init()) {
    for (const Rule& rule : rules) {
      if (!is_asked(rule, names)) continue;
      problems.clear();
      rule.check();
      all.push_back({&rule, problems});
    }
  }
  return all;
}

struct Sum {
  int checked = 0;
  int broken = 0;

  void add(Verdict verdict) {
    if (verdict != Verdict::skipped) ++checked;
    if (verdict == Verdict::broken) ++broken;
  }
};

// Of a word of the command line; none where it means nothing.
std::vector<std::span<const Rule>> rules_of(const std::string& word) {
  using namespace conform;
  if (word == "questions") return {life_rules(), query_rules(), quiet_rules()};
  if (word == "moves") return {binding_rules(), collective_rules(), distribution_rules(), openmp_rules()};
  if (word == "two-sockets") return {two_sockets_rules()};
  if (word == "no-sockets") return {no_sockets_rules()};
  if (word == "memory-alone") return {memory_alone_rules()};
  return {};
}

bool has(std::span<const Rule> rules, const std::string& name) {
  return std::ranges::any_of(rules, [&](const Rule& rule) { return name == rule.name; });
}

// A misspelt rule is not one that holds.
bool are_there(const std::vector<std::string>& names, std::vector<std::span<const Rule>> kinds) {
  for (const std::span<const Rule> early : rules_before_init()) kinds.push_back(early);
  for (const std::string& name : names) {
    const bool found = std::ranges::any_of(kinds, [&](std::span<const Rule> rules) { return has(rules, name); });
    if (found) continue;
    (void)std::fprintf(stderr, "there is no rule \"%s\" of this kind\n", name.c_str());
    return false;
  }
  return true;
}

void print(const Sum& sum) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::printf("%d rules checked by %d ranks on %d %s\n", sum.checked, size, my_node.nodes,
              my_node.nodes == 1 ? "node" : "nodes");
  if (sum.broken > 0) {
    std::printf("%d do not hold\n", sum.broken);
  } else if (sum.checked == 0) {
    std::printf("none could be tested\n");
  } else {
    std::printf("all of them hold\n");
  }
  (void)std::fflush(stdout);
}

}  // namespace

int conform::my_rank() { return rank; }
const conform::Node& conform::node() { return my_node; }

void conform::expect(bool holds, const std::string& what) {
  if (!holds) problems.push_back(what);
}

void conform::expect_equal(long found, long wanted, const std::string& what) {
  expect(found == wanted, what + ": " + std::to_string(found) + ", expected " + std::to_string(wanted));
}

void conform::expect_equal(const std::string& found, const std::string& wanted, const std::string& what) {
  expect(found == wanted, what + ": \"" + found + "\", expected \"" + wanted + "\"");
}

void conform::not_tested(const std::string& why) { untested = why; }

int main(int argc, char** argv) {
  conform::load_the_library_to_judge(argv);
  const std::vector<std::span<const Rule>> kinds = rules_of(argc > 1 ? argv[1] : "");
  if (kinds.empty()) {
    (void)std::fprintf(stderr, "usage: %s questions|moves|two-sockets|no-sockets|memory-alone [RULE...]\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> names(argv + 2, argv + argc);
  if (!are_there(names, kinds)) return 2;
  (void)conform::all_cpus();
  const std::vector<Found> early = check_early(names);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  my_node = conform::node_of(MPI_COMM_WORLD);
  Sum sum;
  for (const Found& found : early) {
    problems = found.problems;
    sum.add(tell(*found.rule));
  }
  for (const std::span<const Rule> rules : kinds) {
    for (const Rule& rule : rules) {
      if (is_asked(rule, names)) sum.add(judge(rule));
    }
  }
  if (rank == 0) print(sum);
  MPI_Comm_free(&my_node.communicator);
  MPI_Finalize();
  return sum.broken == 0 ? 0 : 1;
}
