// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/crowd.hpp"

#include <map>

namespace comity::cli {
namespace {

// Threads are given cores one after the other; one whose cores are all taken has those move on that hold them, along a shortest way.
class Matching {
 public:
  explicit Matching(const std::vector<Cores>& cores) : cores_(cores) {}

  // The crowd that this thread is one too many of; none where it gets a core.
  Crowd give_core_to(std::size_t thread) {
    std::map<std::size_t, std::size_t> wanted_by;  // of each core met, the thread that met it first
    std::vector<std::size_t> waiting{thread};
    for (std::size_t next = 0; next < waiting.size(); ++next) {
      for (const std::size_t core : cores_[waiting[next]]) {
        if (!wanted_by.emplace(core, waiting[next]).second) continue;
        const auto holder = holder_.find(core);
        if (holder == holder_.end()) {
          hand_on(core, wanted_by);
          return {};
        }
        waiting.push_back(holder->second);
      }
    }
    const std::set<std::size_t> all(waiting.begin(), waiting.end());
    return {{all.begin(), all.end()}, wanted_by.size()};
  }

 private:
  void hand_on(std::size_t core, const std::map<std::size_t, std::size_t>& wanted_by) {
    for (bool more = true; more;) {
      const std::size_t taker = wanted_by.at(core);
      const auto before = core_of_.find(taker);
      more = before != core_of_.end();
      const std::size_t left = more ? before->second : core;
      holder_[core] = taker;
      core_of_[taker] = core;
      core = left;
    }
  }

  const std::vector<Cores>& cores_;
  std::map<std::size_t, std::size_t> holder_;   // of a core
  std::map<std::size_t, std::size_t> core_of_;  // of a thread
};

}  // namespace

Crowd crowd_among(const std::vector<Cores>& cores_of_threads) {
  Matching matching(cores_of_threads);
  for (std::size_t thread = 0; thread < cores_of_threads.size(); ++thread) {
    Crowd crowd = matching.give_core_to(thread);
    if (!crowd.threads.empty()) return crowd;
  }
  return {};
}

}  // namespace comity::cli
