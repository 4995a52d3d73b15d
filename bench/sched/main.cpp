// SPDX-License-Identifier: BSD-3-Clause
// bench-sched: fibers, tasks and nested teams beside other runtimes that are here, each in turn with ours. One case a run.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "common/line.hpp"

namespace {

using bench::SchedCase;

constexpr int kPairs = 15;           // unless told
constexpr double kBudget_ns = 60e9;  // for one peer: 15 pairs of whatever sleeps for a second take half of it

std::vector<SchedCase> all_cases() {
  std::vector<SchedCase> all = bench::basic_cases();
  for (auto more : {bench::task_cases(), bench::nest_cases()}) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  auto through_the_library = bench::public_cases(all);
  all.insert(all.end(), std::make_move_iterator(through_the_library.begin()),
             std::make_move_iterator(through_the_library.end()));
  return all;
}

bench::Outcome measure(const SchedCase& one, const bench::Peer& peer, int pairs) {
  bench::Outcome outcome{std::string(one.name), std::string(one.unit), std::string(peer.name), {}, {}};
  std::map<std::string, std::vector<double>> extra;
  const double end = bench::now_ns() + kBudget_ns;
  for (int pair = 0; pair < pairs && (pair == 0 || bench::now_ns() < end); ++pair) {
    const bench::Figure ours = one.ours();
    outcome.values.push_back(ours.value);
    for (const auto& [name, value] : ours.extra) extra[name].push_back(value);
    outcome.references.push_back(peer.measure());
  }
  outcome.extra.emplace_back("pairs", static_cast<double>(outcome.values.size()));
  for (const auto& [name, values] : extra) outcome.extra.emplace_back(name, bench::median(values));
  return outcome;
}

// All, a case and a peer a line, with a tab between them.
void list() {
  for (const SchedCase& one : all_cases()) {
    for (const bench::Peer& peer : one.peers) {
      if (!peer.measure) continue;
      std::printf("%s\t%s\n", std::string(one.name).c_str(), std::string(peer.name).c_str());
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view name = count > 1 ? words[1] : "";
  const std::string_view beside = count > 2 ? words[2] : "";
  const int pairs = count > 3 ? std::atoi(words[3]) : kPairs;
  if (name == "list") {
    list();
    return 0;
  }
  for (const SchedCase& one : all_cases()) {
    for (const bench::Peer& peer : one.peers) {
      if (one.name != name || peer.name != beside || !peer.measure) continue;
      bench::print(1, 1, {measure(one, peer, pairs)});
      return 0;
    }
  }
  std::fprintf(stderr, "bench-sched: takes a case and a peer, and maybe how many pairs; as the word list tells\n");
  return 2;
}
