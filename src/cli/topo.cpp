// SPDX-License-Identifier: BSD-3-Clause
// `comity topo`: the machine as a tree; with a pid, where that process is bound; with --job, where each rank is.
#include "cli/topo.hpp"

#include <array>
#include <cstdio>

#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/tried_machine.hpp"
#include "cli/topo/bindings.hpp"
#include "cli/topo/tree.hpp"
#include "machine/loader.hpp"
#include "os/environment.hpp"

namespace comity::cli {
namespace {

constexpr std::array kExamples{
    Example{"comity topo", "this machine, or the one that HWLOC_XMLFILE or HWLOC_SYNTHETIC names"},
    Example{"comity topo --synthetic \"package:2 [numa] l3:1 core:8 pu:2\"",
            "a machine of 32 PUs that you do not have; programs see it with the same text in HWLOC_SYNTHETIC"},
    Example{"comity topo 4711", "where process 4711 and each of its threads may run"},
    Example{"comity topo --job", "the ranks of the only job here that uses Comity"},
    Example{"comity topo --job $(pidof mpirun)", "the ranks below a launcher, with or without Comity in them"},
};

constexpr Manual kManual{
    "topo", "[PID]",
    "Show what this job may use of the machine: packages, NUMA nodes, caches, cores, PUs (hardware threads), and its "
    "kinds of cores, GPUs and NICs. Cores that look alike share a line. PUs carry the numbers of the operating system, "
    "all other objects logical ones, as in "
    "every call of Comity.\n"
    "With a PID, show where the process and each of its threads is bound instead; with --job, every rank of a job.",
    kExamples};

struct Request {
  bool json = false;
  bool all = false;
  std::string xml_file;
  std::string synthetic;
  std::string process;
  std::string job;  // empty: the only one
  bool wants_job = false;
};

machine::Source source_of(const Request& request) {
  if (!request.xml_file.empty()) return {.xml_file = request.xml_file, .place = "--xml"};
  if (!request.synthetic.empty()) return {.xml_file = {}, .synthetic = request.synthetic, .this_system = false};
  return machine::source_of(os::environment);
}

ProcessBinding require_process(const ProcessTable& table, pid_t process) {
  if (auto binding = table.binding(process)) return *std::move(binding);
  throw Error(Status::not_found, "look at process " + std::to_string(process) +
                                     ": there is no such process, or it may not be looked at; ps shows those that run");
}

std::string answer(const Request& request) {
  const bool shows_machine = request.process.empty() && !request.wants_job;
  const machine::Source source = source_of(request);
  const machine::Image image = load_tried(source, shows_machine ? machine::load_with_devices : machine::load);
  const machine::Machine machine(image);
  const Screen screen = Screen::of_standard_output(os::environment);
  const ProcessTable table;
  if (!request.process.empty()) {
    const ProcessBinding process = require_process(table, parse_pid(request.process));
    if (request.json) return json_text({{"process", process_json(machine, process)}});
    return process_text(screen, machine, process);
  }
  if (request.wants_job) {
    const auto process = request.job.empty() ? std::nullopt : std::optional(parse_pid(request.job));
    const JobBindings job = look_at(table, find_job(table, process));
    return request.json ? json_text({{"job", job_json(machine, job)}}) : job_text(screen, machine, job);
  }
  if (request.json) return json_text(tree_json(machine));
  return tree_text(screen, machine, request.all ? Detail::all : Detail::compressed);
}

void reject_contradictions(const Request& request) {
  if (!request.xml_file.empty() && !request.synthetic.empty()) {
    throw UsageError("--xml and --synthetic both name a machine; give one of them");
  }
  if (!request.process.empty() && request.wants_job) throw UsageError("give a PID or --job, not both");
}

}  // namespace

int topo_command(std::span<const std::string> words) {
  Request request;
  Arguments arguments(kManual);
  arguments.add_json_flag(request.json);
  CLI::App& options = arguments.options();
  options.add_flag("--all", request.all, "every object on a line of its own");
  options.add_option("--xml", request.xml_file, "a machine recorded with lstopo --of xml")->type_name("FILE");
  options.add_option("--synthetic", request.synthetic, "a machine described as for lstopo -i")->type_name("TEXT");
  const CLI::Option* job = options.add_option("--job", request.job, "the job of this process, or the only job here")
                               ->type_name("[PID]")
                               ->expected(0, 1);
  options.add_option("PID", request.process, "a process to look at");
  if (arguments.parse(words) == Next::stop) return kGood;
  request.wants_job = job->count() > 0;
  reject_contradictions(request);
  std::fputs(answer(request).c_str(), stdout);
  return kGood;
}

}  // namespace comity::cli
