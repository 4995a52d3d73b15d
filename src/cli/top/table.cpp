// SPDX-License-Identifier: BSD-3-Clause
#include "cli/top/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kBoundColumns = 9;
constexpr std::size_t kOtherColumns = 60;  // what stands beside the call, without a region
constexpr std::size_t kLongestCall = 40;   // of any MPI

std::string_view words_for(Doing doing) {
  constexpr std::array<std::string_view, 5> kWords{"computing", "mpi", "asleep", "blocked", "stopped"};
  return kWords[static_cast<std::size_t>(doing)];
}

std::string_view words_for(live::Phase phase) {
  constexpr std::array<std::string_view, 3> kWords{"before MPI_Init", "running", "after MPI_Finalize"};
  return kWords[static_cast<std::size_t>(phase)];
}

std::string job_number(std::uint64_t job) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(job));
  return text.data();
}

std::string percent(const std::optional<double>& share) {
  constexpr double kPercent = 100;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f", kPercent * share.value_or(0));
  return share ? text.data() : "-";
}

// "MPI_Recv", "asleep", "stopped in MPI_Recv".
std::string doing_text(Doing doing, const std::string& call) {
  if (doing == Doing::in_mpi) return call;
  return std::string(words_for(doing)) + (doing == Doing::stopped && !call.empty() ? " in " + call : "");
}

std::string cut_doing(const std::string& text, std::size_t columns) {
  const std::size_t room = std::min(kLongestCall, columns > kOtherColumns + 20 ? columns - kOtherColumns : 20);
  return text.size() <= room ? text : text.substr(0, room - 2) + "..";
}

std::string for_text(const ThreadLook& thread) { return thread.call_s ? duration_text(*thread.call_s) : ""; }

std::string cpu_text(const ThreadActivity& activity) { return activity.cpu < 0 ? "-" : std::to_string(activity.cpu); }

std::string bound_text(const ThreadActivity& activity) { return shorten_list(activity.cpus.to_list(), kBoundColumns); }

std::string where_text(const RankLook& rank) {
  const std::string& region = rank.main_thread().region;
  if (!region.empty() || rank.phase == live::Phase::in_run) return region;
  return '(' + std::string(words_for(rank.phase)) + ')';
}

// "Open MPI v4.1.4", of all that an MPI says of itself.
std::string short_name(const std::string& mpi) { return mpi.substr(0, mpi.find(',')); }

std::string head_of(const Screen& screen, const JobLook& job, std::size_t columns) {
  const RankLook& first = job.here.front();
  std::string name = "job";
  if (job.job != 0) name += ' ' + job_number(job.job).substr(0, 8);
  std::string text = std::to_string(job.here.size());
  if (job.ranks != 0) text += " of " + std::to_string(job.ranks);
  text += job.here.size() == 1 && job.ranks <= 1 ? " rank" : " ranks";
  if (!job.mpi.empty()) text += "; " + short_name(job.mpi);
  text += "; " + without_folder(first.command);
  const std::size_t room = columns > name.size() + 2 ? columns - name.size() - 2 : 0;
  return screen.paint(Colour::strong, name) + ": " + table({{text}}, 0, room);
}

std::string ranks_of(const JobLook& job, std::size_t columns) {
  Rows rows{{"rank", "pid", "bound", "on", "CPU%", "memory", "doing", "for", "region"}};
  for (const RankLook& rank : job.here) {
    const ThreadLook& main = rank.main_thread();
    rows.push_back({rank.rank ? std::to_string(*rank.rank) : "-", std::to_string(rank.process),
                    bound_text(main.activity), cpu_text(main.activity), percent(rank.cpu_share),
                    bytes_text(rank.memory_bytes), cut_doing(doing_text(rank.doing(), main.call), columns),
                    for_text(main), where_text(rank)});
  }
  return table(rows, 2, columns);
}

std::string threads_of(const RankLook& rank, std::size_t columns) {
  Rows rows{{"thread", "name", "bound", "on", "CPU%", "doing", "for", "region"}};
  for (const ThreadLook& one : rank.threads) {
    const std::string name = one.activity.name + (&one == &rank.main_thread() ? " *" : "");
    rows.push_back({std::to_string(one.activity.id), name, bound_text(one.activity), cpu_text(one.activity),
                    percent(one.cpu_share), cut_doing(doing_text(one.doing, one.call), columns), for_text(one),
                    one.region});
  }
  std::string text = "  rank " + (rank.rank ? std::to_string(*rank.rank) : "-") + ", pid " +
                     std::to_string(rank.process) + ", " + bytes_text(rank.memory_bytes) + ", " +
                     std::string(words_for(rank.phase)) + ", " + count_text(rank.threads.size(), "thread") + '\n';
  text += table(rows, 2, columns);
  if (rank.untold_threads > 0) {
    text += wrap(count_text(rank.untold_threads, "thread") + " more call MPI than a page has rows for.", 2);
  }
  return text;
}

// What is not in the table, and why.
std::string notes_of(const Look& look) {
  std::string text;
  if (look.jobs.empty()) {
    text += wrap(
        "No rank shows itself here. Ranks do that have Comity's library preloaded with metrics on, as `comity run "
        "--metrics -- mpirun ..` has it, from their first call of MPI on.",
        0);
  }
  for (const live::Unreadable& one : look.unreadable) {
    text += wrap("process " + std::to_string(one.process) + " is not shown: " + one.why, 0);
  }
  if (look.refused > 0) {
    text +=
        wrap((look.refused == 1 ? "1 process" : std::to_string(look.refused) + " processes") +
                 " of yours may not be looked at, and may be ranks: the kernel hides what has changed its user, or is "
                 "in another container.",
             0);
  }
  return text;
}

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json percent_json(const std::optional<double>& share) {
  constexpr double kPercent = 100;
  return share ? Json(kPercent * *share) : Json();
}

Json activity_json(const ThreadLook& thread) {
  const ThreadActivity& activity = thread.activity;
  return {{"cpuset", activity.cpus.to_list()},
          {"cpu", activity.cpu < 0 ? Json() : Json(activity.cpu)},
          {"call", text_or_null(thread.call)},
          {"call_s", number_or_null(thread.call_s)},
          {"region", text_or_null(thread.region)}};
}

Json thread_json(const ThreadLook& thread) {
  Json json{{"tid", thread.activity.id}, {"name", thread.activity.name}, {"state", words_for(thread.doing)}};
  json.update(activity_json(thread));
  json["cpu_percent"] = percent_json(thread.cpu_share);
  return json;
}

Json rank_json(const RankLook& rank) {
  Json json{{"rank", rank.rank ? Json(*rank.rank) : Json()},
            {"pid", rank.process},
            {"phase", words_for(rank.phase)},
            {"state", words_for(rank.doing())}};
  json.update(activity_json(rank.main_thread()));
  json["cpu_percent"] = percent_json(rank.cpu_share);
  json["memory_bytes"] = rank.memory_bytes;
  json["command"] = rank.command;
  json["main_thread"] = rank.main_thread().activity.id;
  json["untold_threads"] = rank.untold_threads;
  Json threads = Json::array();
  for (const ThreadLook& one : rank.threads) threads.push_back(thread_json(one));
  json["threads"] = std::move(threads);
  return json;
}

Json job_json(const JobLook& job) {
  Json here = Json::array();
  for (const RankLook& rank : job.here) here.push_back(rank_json(rank));
  return {{"job", job.job == 0 ? Json() : Json(job_number(job.job))},
          {"size", job.ranks == 0 ? Json() : Json(job.ranks)},
          {"mpi", text_or_null(job.mpi)},
          {"ranks", std::move(here)}};
}

template <typename Rows>
std::string text_with(const Screen& screen, const Look& look, std::size_t columns, Rows&& rows) {
  std::string text;
  for (const JobLook& job : look.jobs) text += head_of(screen, job, columns) + rows(job);
  return text + notes_of(look);
}

}  // namespace

std::string ranks_text(const Screen& screen, const Look& look, std::size_t columns) {
  return text_with(screen, look, columns, [&](const JobLook& job) { return ranks_of(job, columns); });
}

std::string threads_text(const Screen& screen, const Look& look, std::size_t columns) {
  return text_with(screen, look, columns, [&](const JobLook& job) {
    std::string text;
    for (const RankLook& rank : job.here) text += threads_of(rank, columns);
    return text;
  });
}

nlohmann::ordered_json look_json(const Look& look) {
  Json jobs = Json::array();
  for (const JobLook& job : look.jobs) jobs.push_back(job_json(job));
  Json unreadable = Json::array();
  for (const live::Unreadable& one : look.unreadable) unreadable.push_back({{"pid", one.process}, {"why", one.why}});
  return {
      {"host", look.host}, {"jobs", std::move(jobs)}, {"unreadable", std::move(unreadable)}, {"refused", look.refused}};
}

}  // namespace comity::cli
