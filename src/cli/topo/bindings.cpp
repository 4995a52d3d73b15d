// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/bindings.hpp"

#include <algorithm>
#include <limits>

#include "cli/topo/objects.hpp"

namespace comity::cli {
namespace {

using machine::Machine;

constexpr std::size_t kListColumns = 20;
constexpr std::size_t kObjectColumns = 32;

// A thread that nobody bound carries every CPU that the kernel could ever have.
CpuSet real_cpus(const Machine& machine, const CpuSet& cpus) {
  return machine.simulated() ? cpus : cpus & machine.complete();
}

std::string processes_text(std::size_t count) {
  return count == 1 ? "1 process" : std::to_string(count) + " processes";
}

std::string simulated_text(const Machine& machine) {
  if (!machine.simulated()) return {};
  return wrap("The machine is a simulated one, the bindings are those of the real one: they do not belong together.",
              2);
}

std::string list_text(const CpuSet& cpus) { return shorten_list(cpus.to_list(), kListColumns); }

std::string objects_text(const Machine& machine, const CpuSet& cpus) {
  return shorten_list(cover_text(machine, cpus), kObjectColumns);
}

// Threads of one process that are bound alike.
struct ThreadGroup {
  CpuSet cpus;
  std::size_t count = 0;
};

std::vector<ThreadGroup> thread_groups(const Machine& machine, const ProcessBinding& process) {
  std::vector<ThreadGroup> groups;
  for (const ThreadBinding& thread : process.threads) {
    const CpuSet cpus = real_cpus(machine, thread.cpus);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const ThreadGroup& g) { return g.cpus == cpus; });
    if (known == groups.end()) {
      groups.push_back({cpus, 1});
    } else {
      ++known->count;
    }
  }
  return groups;
}

std::vector<std::string> job_row(const Machine& machine, const ProcessBinding& process) {
  const CpuSet cpus = real_cpus(machine, process.cpus());
  return {process.rank ? std::to_string(*process.rank) : "-",
          std::to_string(process.id),
          list_text(cpus),
          objects_text(machine, cpus),
          std::to_string(process.threads.size()),
          without_folder(process.command)};
}

// "rank 3 (pid 4711): 3 threads on 0-3; 1 on 0-7", for processes whose threads are not all bound alike.
std::string uneven_threads(const Machine& machine, const ProcessBinding& process) {
  const std::vector<ThreadGroup> groups = thread_groups(machine, process);
  if (groups.size() < 2) return {};
  std::string text = process.rank
                         ? "rank " + std::to_string(*process.rank) + " (pid " + std::to_string(process.id) + ")"
                         : "pid " + std::to_string(process.id);
  text += ": ";
  for (const ThreadGroup& group : groups) {
    if (&group != &groups.front()) text += "; ";
    text += (&group == &groups.front() ? count_text(group.count, "thread") : std::to_string(group.count)) + " on " +
            list_text(group.cpus);
  }
  return wrap(text, 2);
}

Json objects_json(const Machine& machine, const CpuSet& cpus) {
  Json list = Json::array();
  for (const machine::ObjectRef& object : cover(machine, cpus).objects) {
    list.push_back({{"type", machine::type_name(object.type)},
                    {"index", object.index},
                    {"os_index", machine.os_index(object.type, object.index)}});
  }
  return list;
}

Json binding_json(const Machine& machine, const CpuSet& all) {
  const CpuSet cpus = real_cpus(machine, all);
  return {{"cpuset", cpus.to_list()},
          {"bound", !cpus.encloses(machine.allowed())},
          {"objects", objects_json(machine, cpus)},
          {"outside", cover(machine, cpus).outside.to_list()}};
}

}  // namespace

JobBindings look_at(const ProcessTable& table, const Job& job) {
  JobBindings found{.kind = job.kind, .processes = {}, .vanished = 0};
  for (const pid_t process : job.processes) {
    if (auto binding = table.binding(process)) {
      found.processes.push_back(std::move(*binding));
    } else {
      ++found.vanished;
    }
  }
  const auto key = [](const ProcessBinding& p) { return p.rank.value_or(std::numeric_limits<int>::max()); };
  std::stable_sort(found.processes.begin(), found.processes.end(),
                   [&](const ProcessBinding& a, const ProcessBinding& b) { return key(a) < key(b); });
  return found;
}

std::string process_text(const Screen& screen, const Machine& machine, const ProcessBinding& process) {
  std::string head = "process " + std::to_string(process.id);
  if (process.rank) head += ", rank " + std::to_string(*process.rank);
  std::vector<std::vector<std::string>> rows{{"thread", "name", "PU", "which is"}};
  for (const ThreadBinding& thread : process.threads) {
    const CpuSet cpus = real_cpus(machine, thread.cpus);
    rows.push_back({std::to_string(thread.id), thread.name, list_text(cpus), cover_text(machine, cpus)});
  }
  return screen.paint(Colour::strong, head) + '\n' + wrap(process.command, 2) + table(rows, 2) +
         simulated_text(machine);
}

std::string job_text(const Screen& screen, const Machine& machine, const JobBindings& job) {
  std::vector<std::vector<std::string>> rows{{"rank", "pid", "PU", "which is", "threads", "command"}};
  for (const ProcessBinding& process : job.processes) rows.push_back(job_row(machine, process));
  const std::string found =
      job.kind == JobKind::segment ? " that share a node segment" : " below the launcher; no node segment";
  std::string text = screen.paint(Colour::strong, "job") + ": " + processes_text(job.processes.size()) + found + '\n';
  text += table(rows, 2);
  for (const ProcessBinding& process : job.processes) text += uneven_threads(machine, process);
  if (job.vanished > 0) text += wrap(processes_text(job.vanished) + " ended meanwhile.", 2);
  return text + simulated_text(machine);
}

Json process_json(const Machine& machine, const ProcessBinding& process) {
  Json json{{"pid", process.id}, {"rank", process.rank ? Json(*process.rank) : Json()}, {"command", process.command}};
  json.update(binding_json(machine, process.cpus()));
  Json threads = Json::array();
  for (const ThreadBinding& thread : process.threads) {
    Json one{{"tid", thread.id}, {"name", thread.name}};
    one.update(binding_json(machine, thread.cpus));
    threads.push_back(std::move(one));
  }
  json["threads"] = std::move(threads);
  return json;
}

Json job_json(const Machine& machine, const JobBindings& job) {
  Json processes = Json::array();
  for (const ProcessBinding& process : job.processes) processes.push_back(process_json(machine, process));
  return {{"found_by", job.kind == JobKind::segment ? "segment" : "launcher"},
          {"vanished", job.vanished},
          {"processes", std::move(processes)}};
}

}  // namespace comity::cli
