// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/launching.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/text_file.hpp"
#include "cli/place/in_place/probe.hpp"
#include "cli/place/in_place/verdict.hpp"
#include "cli/place/in_place/verify.hpp"
#include "cli/place/progress.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"

namespace comity::cli {
namespace {

void write_launch_files(const LaunchFiles& launch, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  for (const LaunchFile& file : launch.files) {
    const std::string path = folder + '/' + file.name;
    write_text_file(path, file.text, "the launcher's file", "--to");
    if (!file.executable) continue;
    using std::filesystem::perms;
    std::filesystem::permissions(
        path, perms::owner_all | perms::group_read | perms::group_exec | perms::others_read | perms::others_exec,
        problem);
  }
}

// Where Cray's MPI orders ranks, the launcher's numbers are those of places.
void name_by_order(std::vector<ProbedThread>& threads, const place::Plan& plan) {
  std::vector<place::Rank> started;
  for (const std::vector<place::Rank>& ranks : ranks_by_core(plan)) {
    started.insert(started.end(), ranks.begin(), ranks.end());
  }
  for (ProbedThread& thread : threads) {
    if (thread.rank < started.size()) thread.rank = started[thread.rank];
  }
}

bool orders_ranks(const std::vector<std::string>& command) {
  const std::string name = "MPICH_RANK_REORDER_METHOD";
  return os::environment(name) == "3" || std::find(command.begin(), command.end(), name + "=3") != command.end();
}

std::string verdict_text(const Verdict& verdict) {
  constexpr std::size_t kMostTold = 20;
  const std::string job = count_text(verdict.ranks, "rank") + " with " + count_text(verdict.threads, "thread") +
                          " on " + count_text(verdict.hosts, "host");
  if (verdict.findings.empty()) return "As planned: " + job + ".\n";
  std::string text = "Not as planned: " + job + ".\n";
  for (std::size_t i = 0; i < verdict.findings.size() && i < kMostTold; ++i)
    text += wrap("- " + verdict.findings[i], 0);
  const std::size_t rest = verdict.findings.size() - std::min(verdict.findings.size(), kMostTold);
  return text + (rest == 0 ? "" : "- and " + std::to_string(rest) + " more\n");
}

// A number where all of it is at one node.
nlohmann::ordered_json memory_json(const std::vector<int>& nodes) {
  if (nodes.empty()) return nullptr;
  if (nodes.size() == 1) return nodes.front();
  return nodes;
}

// All that was told, rank by rank.
nlohmann::ordered_json where_json(const std::vector<ProbedThread>& threads) {
  std::vector<const ProbedThread*> in_order;
  in_order.reserve(threads.size());
  for (const ProbedThread& thread : threads) in_order.push_back(&thread);
  std::stable_sort(in_order.begin(), in_order.end(), [](const ProbedThread* one, const ProbedThread* other) {
    return std::pair(one->rank, one->thread) < std::pair(other->rank, other->thread);
  });
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ProbedThread* thread : in_order) {
    nlohmann::ordered_json& one = all.emplace_back();
    one = {{"rank", thread->rank},
           {"thread", thread->thread},
           {"host", thread->host.front()},
           {"cpus", thread->mask.to_list()}};
    one["cpu"] = thread->cpu ? nlohmann::ordered_json(*thread->cpu) : nlohmann::ordered_json(nullptr);
    one["memory"] = memory_json(thread->memory);
  }
  return all;
}

void require_measurement_alone(const PlaceRequest& request) {
  if (request.verify || !request.output.empty()) {
    throw UsageError("--measure, --verify and --output each do something else with a command; give one of them");
  }
  if (request.command.empty()) {
    throw UsageError("--measure needs a launch line behind --, as in -- mpirun -n 4 {}");
  }
}

}  // namespace

void require_one_launch(const PlaceRequest& request) {
  if (request.output.empty() != request.folder.empty()) {
    throw UsageError("--output LAUNCHER and --to DIR go together: what is written, and where");
  }
  if (request.verify && !request.output.empty()) {
    throw UsageError("--output writes for a launcher and --verify checks what one does; give one of them");
  }
  if (request.verify && !request.picture.empty()) {
    throw UsageError("--svg draws a plan and --verify checks a launch; draw it in a command of its own");
  }
  if (!request.measure.empty()) require_measurement_alone(request);
  if (request.verify && request.command.empty()) {
    throw UsageError("--verify needs the launch line behind --, as in -- mpirun -n 4 ./app");
  }
  if (!request.output.empty()) {
    (void)launch_form_named(request.output);
  } else if (!request.command.empty() && !request.verify && request.measure.empty()) {
    throw UsageError(
        "a command is told for --output, which prints the line that starts it, for --verify, or for --measure");
  }
}

LaunchFiles write_launch(const PlaceRequest& request, const place::Plan& plan, const std::vector<place::Host>& hosts) {
  const LaunchFormName& form = launch_form_named(request.output);
  std::vector<std::string> names = place::names_of(hosts);
  if (names.empty() && plan.nodes() == 1) names.emplace_back("localhost");  // the only node needs no name
  if (names.empty() && !form.orders_ranks) {
    throw UsageError("--output " + request.output + " needs the names of the hosts; give --hosts FILE");
  }
  const std::string folder = std::filesystem::absolute(request.folder).lexically_normal().string();
  const std::vector<std::string> program =
      request.command.empty() ? std::vector<std::string>{"./app"} : request.command;
  LaunchFiles launch = launch_files(form, plan, names, folder, program);
  write_launch_files(launch, folder);
  return launch;
}

std::string launch_text(const LaunchFiles& launch) {
  std::string text = "\nLaunch it with\n\n  " + launch.line + '\n';
  for (const std::string& note : launch.notes) text += '\n' + wrap(note, 0);
  return text;
}

nlohmann::ordered_json launch_json(const LaunchFiles& launch) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const LaunchFile& file : launch.files) files.push_back(file.name);
  return {{"line", launch.line}, {"files", std::move(files)}, {"notes", launch.notes}};
}

int verify_launch(const PlaceRequest& request, const place::Plan& plan, const std::vector<place::Host>& hosts) {
  const std::string probe = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> line =
      line_with_probe(request.command, probe, plan.most_threads() > 1, launch::this_machine());
  std::optional<PlaceProgress> progress(std::in_place);
  progress->show("running the launch line with a probe");
  Probed probed = run_line_with_probe(line);
  progress.reset();
  if (orders_ranks(request.command)) name_by_order(probed.threads, plan);
  Verdict verdict = verdict_on(plan, place::names_of(hosts), os::host_name(), probed.threads);
  if (!probed.ending.empty()) verdict.findings.push_back(probed.ending);
  const nlohmann::ordered_json json{{"as_planned", verdict.findings.empty()},
                                    {"ranks", verdict.ranks},
                                    {"threads", verdict.threads},
                                    {"hosts", verdict.hosts},
                                    {"findings", verdict.findings},
                                    {"where", where_json(probed.threads)}};
  std::fputs((request.json ? json_text(json) : verdict_text(verdict)).c_str(), stdout);
  return verdict.findings.empty() ? kGood : kFindings;
}

int measure_costs(const PlaceRequest& request, const PartHosts& part_hosts) {
  const std::vector<std::string> line = line_with_measurement(request.command, launch::this_machine());
  std::optional<PlaceProgress> progress(std::in_place);
  progress->show("measuring exchanges of pairs of ranks");
  const MeasuredCosts measured = read_pairs(bench::run_for_json_line(line, kLongestMeasurement), part_hosts);
  progress.reset();
  const std::string text = json_text(costs_json(measured));
  write_text_file(request.measure, text, "the costs", "--measure");
  std::fputs((request.json ? text : measured_text(measured, request.measure)).c_str(), stdout);
  if (const std::string unrest = unrest_text(measured); request.json && !unrest.empty()) {
    std::fprintf(stderr, "comity place: --measure: %s\n", unrest.c_str());
  }
  return kGood;
}

}  // namespace comity::cli
