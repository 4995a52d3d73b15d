// SPDX-License-Identifier: BSD-3-Clause
#include "cli/top/look.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "cli/topo/job.hpp"
#include "os/kernel.hpp"

namespace comity::cli {
namespace {

constexpr double kSecond_ns = 1e9;

Doing doing_of(char state, bool in_call) {
  if (state == 'T' || state == 't') return Doing::stopped;
  if (in_call) return Doing::in_mpi;
  if (state == 'R') return Doing::computing;
  return state == 'D' ? Doing::blocked : Doing::asleep;
}

ThreadLook thread_look(ThreadActivity activity, const live::PageView& page, std::int64_t now_ns) {
  ThreadLook look{
      .activity = std::move(activity), .doing = Doing::asleep, .call = {}, .call_s = {}, .region = {}, .cpu_share = {}};
  const auto row = std::find_if(page.threads.begin(), page.threads.end(), [&](const live::ThreadView& one) {
    return one.thread == static_cast<std::uint32_t>(look.activity.own_number);
  });
  if (row != page.threads.end()) {
    look.call = row->function;
    look.region = row->region;
    if (row->since_ns != 0)
      look.call_s = static_cast<double>(std::max<std::int64_t>(now_ns - row->since_ns, 0)) / kSecond_ns;
  }
  look.doing = doing_of(look.activity.state, !look.call.empty());
  return look;
}

std::size_t main_of(const std::vector<ThreadLook>& threads, std::uint32_t number) {
  const auto found = std::find_if(threads.begin(), threads.end(), [&](const ThreadLook& one) {
    return static_cast<std::uint32_t>(one.activity.own_number) == number;
  });
  return found == threads.end() ? 0 : static_cast<std::size_t>(found - threads.begin());
}

// Ranks belong to the job that they name; before they know one, to those of the same command.
std::vector<JobLook> jobs_of(std::vector<std::pair<const live::PageView*, RankLook>>&& ranks) {
  std::vector<JobLook> jobs;
  for (auto& [page, rank] : ranks) {
    const bool begun = page->phase != live::Phase::before_init;
    const std::uint64_t number = begun ? page->job : 0;
    auto job = std::find_if(jobs.begin(), jobs.end(), [&, &one = rank](const JobLook& known) {
      return known.job == number && (begun || known.here.front().command == one.command);
    });
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {number, begun ? page->ranks : 0, page->mpi, {}});
    job->here.push_back(std::move(rank));
  }
  for (JobLook& job : jobs) {
    std::stable_sort(job.here.begin(), job.here.end(), [](const RankLook& a, const RankLook& b) {
      constexpr int kLast = std::numeric_limits<int>::max();
      return a.rank.value_or(kLast) < b.rank.value_or(kLast);
    });
  }
  return jobs;
}

template <typename Keep>
Look with_ranks(Look look, Keep&& keep) {
  for (JobLook& job : look.jobs) std::erase_if(job.here, [&](const RankLook& rank) { return !keep(rank); });
  std::erase_if(look.jobs, [](const JobLook& job) { return job.here.empty(); });
  return look;
}

bool has(const JobLook& job, pid_t process) {
  return std::any_of(job.here.begin(), job.here.end(), [&](const RankLook& one) { return one.process == process; });
}

}  // namespace

Doing RankLook::doing() const {
  const Doing mains = main_thread().doing;
  if (mains == Doing::in_mpi || mains == Doing::stopped) return mains;
  const bool computes =
      std::any_of(threads.begin(), threads.end(), [](const ThreadLook& one) { return one.doing == Doing::computing; });
  return computes ? Doing::computing : mains;
}

double Watch::cpu_share(const ThreadActivity& thread, std::int64_t now_ns) const {
  const auto before = cpu_before_.find(thread.id);
  const std::int64_t used_ns = thread.cpu_ns - (before == cpu_before_.end() ? 0 : before->second);
  const std::int64_t passed_ns = std::max<std::int64_t>(now_ns - before_ns_, 1);
  return static_cast<double>(std::max<std::int64_t>(used_ns, 0)) / static_cast<double>(passed_ns);
}

std::optional<RankLook> Watch::rank_of(const live::Shown& shown, std::int64_t now_ns) {
  const live::PageView& page = shown.page;
  const ProcessTable table;
  Activity activity = activity_of(shown.process);
  if (activity.threads.empty()) return std::nullopt;  // ended meanwhile
  RankLook rank{.process = shown.process,
                .phase = page.phase,
                .rank = page.phase == live::Phase::before_init ? table.rank(shown.process)
                                                               : std::optional(static_cast<int>(page.rank)),
                .command = visible(table.command(shown.process, activity.threads.front().name)),
                .memory_bytes = activity.memory_bytes,
                .cpu_share = {},
                .untold_threads = page.untold_threads,
                .threads = {},
                .main = 0};
  const bool was_here = std::any_of(activity.threads.begin(), activity.threads.end(),
                                    [&](const ThreadActivity& one) { return cpu_before_.contains(one.id); });
  if (was_here) rank.cpu_share = 0;
  for (ThreadActivity& one : activity.threads) {
    one.name = visible(one.name);
    cpu_now_[one.id] = one.cpu_ns;
    ThreadLook look = thread_look(std::move(one), page, now_ns);
    if (was_here) {
      look.cpu_share = cpu_share(look.activity, now_ns);
      *rank.cpu_share += *look.cpu_share;
    }
    rank.threads.push_back(std::move(look));
  }
  rank.main = main_of(rank.threads, page.main_thread);
  return rank;
}

Look Watch::look() {
  const live::Sightings sightings = search_.look();
  const std::int64_t now = now_ns();
  std::vector<std::pair<const live::PageView*, RankLook>> ranks;
  cpu_now_.clear();
  for (const live::Shown& shown : sightings.shown) {
    if (auto rank = rank_of(shown, now)) ranks.emplace_back(&shown.page, std::move(*rank));
  }
  cpu_before_.swap(cpu_now_);
  before_ns_ = now;
  return {os::host_name(), jobs_of(std::move(ranks)), sightings.unreadable, sightings.refused};
}

Look only_job(Look look, pid_t process) {
  const auto is_other = [&](const JobLook& job) { return !has(job, process); };
  if (!std::all_of(look.jobs.begin(), look.jobs.end(), is_other)) {
    std::erase_if(look.jobs, is_other);
    return look;
  }
  const std::vector<pid_t> below = descendants(ProcessTable(), process);
  return with_ranks(std::move(look),
                    [&](const RankLook& rank) { return std::binary_search(below.begin(), below.end(), rank.process); });
}

Look only_process(Look look, pid_t process) {
  return with_ranks(std::move(look), [&](const RankLook& rank) { return rank.process == process; });
}

}  // namespace comity::cli
