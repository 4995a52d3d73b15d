// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/probe.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "cli/common/arguments.hpp"
#include "cli/doctor/host.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"
#include "os/host_address.hpp"
#include "os/kernel.hpp"
#include "os/memory/page_node.hpp"
#include "os/process/launched_ranks.hpp"
#include "os/threads/openmp.hpp"
#include "os/whole_lines.hpp"

namespace comity::cli {
namespace {

constexpr std::string_view kMark = "comity-probe-1 ";
constexpr const char* kUnknown = "-";
constexpr std::size_t kFields = 8;                             // and the check
constexpr std::size_t kLookedAtBytes = std::size_t{4} << 20U;  // large enough that the allocator asks the kernel for it
constexpr std::size_t kPagesLookedAt = 16;
constexpr std::size_t kPageStepBytes =
    61 * std::size_t{4096};  // an odd number of pages meets each of two, three or four nodes in turn

std::string check_of(std::string_view text) {
  Hash hash;
  hash.add(text);
  return std::to_string(hash.value() & 0xFFFFFFFFU);
}

template <typename Number>
bool read_number(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc{} && rest == end;
}

bool read_nodes(const std::string& text, std::vector<int>& nodes) {
  for (const std::string& word : split(text, ",")) {
    if (!read_number(word, nodes.emplace_back()) || nodes.back() < 0) return false;
  }
  return !nodes.empty();
}

std::optional<ProbedThread> read_line(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos || check_of(line.substr(0, blank)) != line.substr(blank + 1)) return std::nullopt;
  const std::vector<std::string> words = split(std::string(line.substr(0, blank)), " ");
  if (words.size() != kFields) return std::nullopt;
  ProbedThread thread;
  std::uint32_t cpu = 0;
  const bool numbers = read_number(words[1], thread.rank) && read_number(words[3], thread.thread) &&
                       read_number(words[4], thread.threads) && (words[5] == kUnknown || read_number(words[5], cpu)) &&
                       (words[7] == kUnknown || read_nodes(words[7], thread.memory));
  if (!numbers) return std::nullopt;
  thread.host = split(words[2], ",");
  if (thread.host.empty()) return std::nullopt;
  if (words[5] != kUnknown) thread.cpu = cpu;
  try {
    thread.mask = CpuSet::parse_list(words[6]);
  } catch (const Error&) {
    return std::nullopt;
  }
  return thread;
}

std::uint32_t own_rank() {
  for (const std::string_view name : os::rank_variables()) {
    std::uint32_t rank = 0;
    if (const auto value = os::environment(name); value && read_number(*value, rank)) return rank;
  }
  throw Error(Status::not_found,
              "no variable tells this process its rank, so it was not started by a launcher that is known; verify a "
              "line that begins with mpirun, mpiexec, srun or aprun");
}

std::vector<std::string> own_names() {
  std::vector<std::string> names{os::host_name()};
  for (const std::string& address : os::host_addresses()) names.push_back(address);
  // Slurm's, where several of its nodes are one host.
  if (const auto node = os::environment("SLURMD_NODENAME"); node && *node != names.front()) {
    names.insert(names.begin(), *node);
  }
  return names;
}

// Of memory that is written here first. Where pages are laid around in turn (`numactl --interleave`) one of them may be near by chance.
std::vector<int> nodes_of_own_memory() {
  const std::vector<char> memory(kLookedAtBytes, 1);
  std::set<int> nodes;
  for (std::size_t i = 0; i < kPagesLookedAt; ++i) {
    if (const auto node = os::node_of_page(memory.data() + i * kPageStepBytes + kPageStepBytes / 2))
      nodes.insert(*node);
  }
  return {nodes.begin(), nodes.end()};
}

// On the thread that it is about.
void look_at_itself(ProbedThread& thread) {
  thread.memory = nodes_of_own_memory();
  thread.mask = os::affinity(0);
  if (const int cpu = os::current_cpu(); cpu >= 0) thread.cpu = static_cast<std::uint32_t>(cpu);
}

// Null: the program has none.
const os::OpenMp* loaded_runtime(const std::string& name) {
  if (name == kNoRuntime) return nullptr;
  if (::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    throw Error(Status::not_found, "load the program's OpenMP runtime: " + std::string(::dlerror()) +
                                       "; set LD_LIBRARY_PATH as for the program");
  }
  const std::vector<os::OpenMp>& all = os::OpenMp::loaded();
  return all.empty() ? nullptr : &all.front();
}

}  // namespace

std::string checked_probe_line(std::string_view words) {
  const std::string text = std::string(kMark).append(words);
  return text + ' ' + check_of(text) + '\n';
}

std::string probe_line(const ProbedThread& thread) {
  std::string host;
  for (const std::string& name : thread.host) host += (host.empty() ? "" : ",") + name;
  std::string memory;
  for (const int node : thread.memory) memory += (memory.empty() ? "" : ",") + std::to_string(node);
  return checked_probe_line(std::to_string(thread.rank) + ' ' + host + ' ' + std::to_string(thread.thread) + ' ' +
                            std::to_string(thread.threads) + ' ' +
                            (thread.cpu ? std::to_string(*thread.cpu) : kUnknown) + ' ' + thread.mask.to_list() + ' ' +
                            (memory.empty() ? kUnknown : memory));
}

std::vector<ProbedThread> read_probe_lines(std::string_view output) {
  std::vector<ProbedThread> threads;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) continue;
    if (std::optional<ProbedThread> thread = read_line(line.substr(mark))) threads.push_back(*std::move(thread));
  }
  return threads;
}

int run_probe(std::span<const std::string> words) {
  const os::OpenMp* const runtime = loaded_runtime(words.empty() ? std::string(kNoRuntime) : words.front());
  const int count = runtime == nullptr ? 1 : std::max(runtime->max_threads(), 1);
  std::vector<ProbedThread> threads(static_cast<std::size_t>(count));
  const auto look = [&](int index) { look_at_itself(threads[static_cast<std::size_t>(index)]); };
  if (runtime == nullptr) {
    look(0);
  } else {
    runtime->run_team(count, look);
  }
  std::erase_if(threads, [](const ProbedThread& thread) { return thread.mask.empty(); });  // the runtime gave fewer
  const std::uint32_t rank = own_rank();
  const std::vector<std::string> names = own_names();
  std::string text;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].rank = rank;
    threads[i].host = names;
    threads[i].thread = static_cast<std::uint32_t>(i);
    threads[i].threads = static_cast<std::uint32_t>(threads.size());
    text += probe_line(threads[i]);
  }
  const int code = os::write_whole_lines(STDOUT_FILENO, text) ? kGood : kFindings;
  if (runtime != nullptr) std::_Exit(code);  // members of its team still wait there; nothing of ours is left to do
  return code;
}

}  // namespace comity::cli
