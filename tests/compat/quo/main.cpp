// SPDX-License-Identifier: BSD-3-Clause
// conformance questions|moves|two-sockets|no-sockets|memory-alone [RULE...] [--require RULE...]: checks the rules of QUO's
// interface, all of that kind or those that are named, on every rank, and says which do not hold; the last three kinds are of
// the machines that HWLOC_SYNTHETIC or HWLOC_XMLFILE is to name. A rule that cannot be tried here breaks nothing, unless it is
// required. With LIBQUO=PATH it judges that library.
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

// Of the command line.
struct Asked {
  std::vector<std::string> named;     // none: all of the kind
  std::vector<std::string> required;  // to be tried, too
};

Asked read(std::span<char* const> words) {
  Asked asked;
  std::vector<std::string>* rules = &asked.named;
  for (const std::string word : words) {
    if (word == "--require") {
      rules = &asked.required;
    } else {
      rules->push_back(word);
    }
  }
  return asked;
}

bool is_among(const std::vector<std::string>& names, const Rule& rule) {
  return std::ranges::find(names, rule.name) != names.end();
}

bool is_asked(const Rule& rule, const Asked& asked) {
  return asked.named.empty() || is_among(asked.named, rule) || is_among(asked.required, rule);
}

void print_problems() {
  for (const std::string& problem : problems) std::printf("  rank %d: %s\n", rank, problem.c_str());
  (void)std::fflush(stdout);
}

enum class Verdict { holds, broken, skipped };

// What all ranks have found, told together; all of them return the same.
Verdict tell(const Rule& rule, const Asked& asked) {
  const bool is_missed = !untested.empty() && is_among(asked.required, rule);
  int count = static_cast<int>(problems.size()) + (is_missed ? 1 : 0);
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

Verdict judge(const Rule& rule, const Asked& asked) {
  problems.clear();
  untested.clear();
  conform::bind_all(conform::all_cpus());
  conform::meet();
  rule.check();
  conform::bind_all(conform::all_cpus());
  return tell(rule, asked);
}

std::vector<std::span<const Rule>> rules_before_init() {
  return {conform::early_rules(), conform::early_quiet_rules()};
}

// A rule that was checked where ranks could not yet tell of it.
struct Found {
  const Rule* rule;
  std::vector<std::string> problems;
};

std::vector<Found> check_early(const Asked& asked) {
  std::vector<Found> all;
  for (const std::span<const Rule> rules : rules_before_init()) {
    for (const Rule& rule : rules) {
      if (!is_asked(rule, asked)) continue;
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
    (void)std::fprintf(stderr,
                       "usage: %s questions|moves|two-sockets|no-sockets|memory-alone [RULE...] [--require RULE...]\n",
                       argv[0]);
    return 2;
  }
  const Asked asked = read(std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
  if (!are_there(asked.named, kinds) || !are_there(asked.required, kinds)) return 2;
  (void)conform::all_cpus();
  const std::vector<Found> early = check_early(asked);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  my_node = conform::node_of(MPI_COMM_WORLD);
  Sum sum;
  for (const Found& found : early) {
    problems = found.problems;
    sum.add(tell(*found.rule, asked));
  }
  for (const std::span<const Rule> rules : kinds) {
    for (const Rule& rule : rules) {
      if (is_asked(rule, asked)) sum.add(judge(rule, asked));
    }
  }
  if (rank == 0) print(sum);
  MPI_Comm_free(&my_node.communicator);
  MPI_Finalize();
  return sum.broken == 0 ? 0 : 1;
}
