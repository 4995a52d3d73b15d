// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/verdict.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "cli/common/screen.hpp"
#include "cli/place/in_place/crowd.hpp"
#include "place/host_names.hpp"

namespace comity::cli {
namespace {

using place::CoreSeat;
using place::Plan;
using place::Rank;

constexpr std::size_t kMostNamed = 8;  // ranks in one sentence
constexpr std::size_t kUnknownCore = std::size_t{1} << 20U;

bool is_host(const std::string& planned, const std::vector<std::string>& told) {
  return std::any_of(told.begin(), told.end(),
                     [&](const std::string& name) { return place::may_be_one_host(name, planned); });
}

std::string list_of(const std::vector<std::size_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < kMostNamed; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text + (ranks.size() > kMostNamed ? ", .." : "");
}

std::string memories_text(const std::set<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : ", ") + std::to_string(node);
  return text;
}

class Judge {
 public:
  Judge(const Plan& plan, const std::vector<std::string>& hosts, const std::string& here,
        const std::vector<ProbedThread>& threads)
      : plan_(plan), hosts_(hosts), here_(here) {
    for (std::uint32_t node = 0; node < hosts.size(); ++node) node_called_.emplace(name_here(hosts[node]), node);
    for (const ProbedThread& thread : threads) by_rank_[thread.rank].push_back(&thread);
    result_.threads = threads.size();
    result_.ranks = by_rank_.size();
  }

  Verdict judge() {
    judge_presence();
    for (const auto& [rank, threads] : by_rank_) {
      if (rank >= plan_.ranks()) continue;
      judge_host(rank, *threads.front());
      judge_rank(rank, threads);
    }
    judge_sharing();
    result_.hosts = on_host_.size();
    return std::move(result_);
  }

 private:
  using Threads = std::vector<const ProbedThread*>;

  void find(std::string sentence) { result_.findings.push_back(std::move(sentence)); }
  static std::string name_of(Rank rank) { return "rank " + std::to_string(rank); }
  static std::string name_of(Rank rank, const ProbedThread& thread) {
    return name_of(rank) + (thread.threads > 1 ? " thread " + std::to_string(thread.thread) : "");
  }

  void judge_presence() {
    std::vector<std::size_t> silent, unknown;
    for (Rank rank = 0; rank < plan_.ranks(); ++rank) {
      if (!by_rank_.contains(rank)) silent.push_back(rank);
    }
    for (const auto& [rank, threads] : by_rank_) {
      if (rank >= plan_.ranks()) unknown.push_back(rank);
    }
    if (!silent.empty()) {
      find(count_text(silent.size(), "rank") + " of the plan did not run: " + list_of(silent));
    }
    if (!unknown.empty()) {
      find(count_text(unknown.size(), "rank") + " ran that the plan of " + std::to_string(plan_.ranks()) +
           " does not have: " + list_of(unknown));
    }
  }

  void judge_host(Rank rank, const ProbedThread& thread) {
    const std::string& host = thread.host.front();
    const std::uint32_t node = plan_.seat(rank).node;
    on_host_[host].push_back(rank);
    if (!hosts_.empty() && !is_host(name_here(hosts_[node]), thread.host)) {
      find(name_of(rank) + " runs on " + host + ", planned is " + planned_text(hosts_[node]));
      return;
    }
    if (const auto found = host_of_node_.find(node); found != host_of_node_.end() && found->second != host) {
      find(name_of(rank) + " runs on " + host + ", but other ranks of node " + std::to_string(node) + " run on " +
           found->second);
      return;
    }
    if (const auto other = other_node_called(thread, node)) {
      find(name_of(rank) + " runs on " + host + ", which is node " + std::to_string(*other) + ", planned is " +
           planned_text(hosts_[node]));
      return;
    }
    const bool is_new = host_of_node_.emplace(node, host).second;
    if (is_new && hosts_.empty()) {  // a list may have two names of one host
      const auto [other, is_first] = node_of_host_.emplace(host, node);
      if (!is_first) {
        find(name_of(rank) + " of node " + std::to_string(node) + " runs on " + host + ", as ranks of node " +
             std::to_string(other->second) + " do");
      }
    }
  }

  // A host may be what several names of the list leave a domain out of; it is the node that is called just as it is.
  [[nodiscard]] std::optional<std::uint32_t> other_node_called(const ProbedThread& thread, std::uint32_t node) const {
    if (hosts_.empty() || std::ranges::find(thread.host, name_here(hosts_[node])) != thread.host.end())
      return std::nullopt;
    const auto at = node_called_.find(thread.host.front());
    return at == node_called_.end() ? std::nullopt : std::optional(at->second);
  }

  // What each host calls itself means the one that the list was written on.
  [[nodiscard]] const std::string& name_here(const std::string& planned) const {
    return place::is_own_name(planned) ? here_ : planned;
  }
  [[nodiscard]] std::string planned_text(const std::string& planned) const {
    const std::string& name = name_here(planned);
    return planned + (name == planned ? "" : ", which is " + name);
  }

  // The first thing that is wrong with a rank; the rest often follows from it.
  void judge_rank(Rank rank, const Threads& threads) {
    const std::uint32_t planned = plan_.seat(rank).threads;
    const std::uint32_t told = threads.front()->threads;
    if (told != planned || threads.size() != told) {
      find(name_of(rank) + " has " + count_text(std::max<std::size_t>(told, threads.size()), "thread") + ", planned " +
           (planned == 1 ? "is 1" : "are " + std::to_string(planned)) +
           (threads.size() < told ? "; the lines of some did not come whole" : ""));
      return;
    }
    const std::vector<CoreSeat> cores = plan_.cores(rank);
    const CpuSet all = plan_.cpus(rank);
    for (const ProbedThread* thread : threads) {
      if (!judge_mask(rank, *thread, all, cores) || !judge_cpu(rank, *thread, all)) return;
    }
    judge_memory(rank, threads, cores);
  }

  bool judge_mask(Rank rank, const ProbedThread& thread, const CpuSet& all, const std::vector<CoreSeat>& cores) {
    const std::string who = name_of(rank, thread);
    if (!all.encloses(thread.mask)) {
      find(who + " may run on CPUs " + thread.mask.to_list() +
           (thread.cpu ? " and ran on " + std::to_string(*thread.cpu) : "") + ", planned are " + all.to_list());
      return false;
    }
    const bool is_alone = thread.mask != all && cores.size() > 1;  // bound by itself, then to its own core
    if (is_alone && thread.thread < cores.size() && !cores[thread.thread].cpus.encloses(thread.mask) &&
        !spans_cores(thread.mask, cores)) {
      find(who + " is bound to CPUs " + thread.mask.to_list() + ", planned are " + cores[thread.thread].cpus.to_list());
      return false;
    }
    return true;
  }

  // The kernel runs a thread where its mask is, so the mask was another one at that moment.
  bool judge_cpu(Rank rank, const ProbedThread& thread, const CpuSet& all) {
    if (!thread.cpu || all.contains(*thread.cpu)) return true;
    find(name_of(rank, thread) + " ran on CPU " + std::to_string(*thread.cpu) + ", planned are " + all.to_list() +
         ", though it may run on " + thread.mask.to_list() + " only: something binds it anew meanwhile");
    return false;
  }

  static bool spans_cores(const CpuSet& mask, const std::vector<CoreSeat>& cores) {
    return std::none_of(cores.begin(), cores.end(), [&](const CoreSeat& core) { return core.cpus.encloses(mask); });
  }

  void judge_memory(Rank rank, const Threads& threads, const std::vector<CoreSeat>& cores) {
    std::set<int> near;
    for (const CoreSeat& core : cores) {
      if (!core.numa) return;  // nobody knows
      near.insert(*core.numa);
    }
    for (const ProbedThread* thread : threads) {
      const std::set<int> has(thread->memory.begin(), thread->memory.end());
      if (std::includes(near.begin(), near.end(), has.begin(), has.end())) continue;
      find("memory of " + name_of(rank) + " is at NUMA node " + memories_text(has) + ", next to its cores is " +
           memories_text(near) + "; look for numactl or a memory binding of the launcher");
      return;
    }
  }

  // Threads that may run on some cores only, and are more than these, share one.
  void judge_sharing() {
    for (const auto& [host, ranks] : on_host_) judge_sharing_on(host, ranks);
  }

  void judge_sharing_on(const std::string& host, const std::vector<Rank>& ranks) {
    std::map<std::set<std::size_t>, std::vector<const ProbedThread*>> by_cores;
    for (const Rank rank : ranks) {
      for (const ProbedThread* thread : by_rank_.at(rank)) by_cores[cores_of(rank, thread->mask)].push_back(thread);
    }
    for (const auto& [cores, own] : by_cores) {
      Threads inside;
      for (const auto& [others, threads] : by_cores) {
        const bool is_inside = std::includes(cores.begin(), cores.end(), others.begin(), others.end());
        if (is_inside) inside.insert(inside.end(), threads.begin(), threads.end());
      }
      if (inside.size() <= cores.size()) continue;
      find(sharing_text(host, cores.size(), inside));
      return;  // one says enough
    }
    judge_crowd(host, ranks);
  }

  // Where each mask has room for those inside it, several together may have none.
  void judge_crowd(const std::string& host, const std::vector<Rank>& ranks) {
    Threads all;
    std::vector<Cores> cores;
    for (const Rank rank : ranks) {
      for (const ProbedThread* thread : by_rank_.at(rank)) {
        all.push_back(thread);
        cores.push_back(cores_of(rank, thread->mask));
      }
    }
    const Crowd crowd = crowd_among(cores);
    if (crowd.threads.empty()) return;
    Threads inside;
    for (const std::size_t number : crowd.threads) inside.push_back(all[number]);
    find(sharing_text(host, crowd.cores, inside));
  }

  static std::string sharing_text(const std::string& host, std::size_t cores, const Threads& threads) {
    CpuSet cpus;
    std::string who;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      cpus |= threads[i]->mask;
      if (i < kMostNamed) {
        who += (i == 0 ? "" : ", ") + name_of(threads[i]->rank) + " thread " + std::to_string(threads[i]->thread);
      }
    }
    return count_text(threads.size(), "thread") + " share " + count_text(cores, "core") + " on " + host + " (CPUs " +
           cpus.to_list() + "): " + who + (threads.size() > kMostNamed ? ", .." : "");
  }

  // By the node that the rank was planned for; a CPU that it does not have is a core of its own.
  [[nodiscard]] std::set<std::size_t> cores_of(Rank rank, const CpuSet& mask) const {
    const place::NodeShape& shape = plan_.shape(plan_.seat(rank).node);
    std::set<std::size_t> cores;
    CpuSet known;
    for (place::Place core = 0; core < shape.cores; ++core) {
      const CpuSet cpus = shape.seat(core).cpus;
      if (cpus.intersects(mask)) cores.insert(core);
      known |= cpus;
    }
    (mask - known).for_each([&](std::size_t cpu) { cores.insert(kUnknownCore + cpu); });
    return cores;
  }

  const Plan& plan_;
  const std::vector<std::string>& hosts_;
  const std::string& here_;
  std::unordered_map<std::string, std::uint32_t> node_called_;  // of the list
  std::map<std::uint32_t, Threads> by_rank_;
  std::map<std::string, std::vector<Rank>> on_host_;
  std::map<std::uint32_t, std::string> host_of_node_;
  std::map<std::string, std::uint32_t> node_of_host_;
  Verdict result_;
};

}  // namespace

Verdict verdict_on(const Plan& plan, const std::vector<std::string>& hosts, const std::string& here,
                   const std::vector<ProbedThread>& threads) {
  return Judge(plan, hosts, here, threads).judge();
}

}  // namespace comity::cli
