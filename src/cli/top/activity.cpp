// SPDX-License-Identifier: BSD-3-Clause
#include "cli/top/activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "os/cpus/affinity.hpp"
#include "os/proc.hpp"

namespace comity::cli {
namespace {

// Places in the line of a stat file, counted from the state on, which follows the name.
constexpr std::size_t kState = 0;
constexpr std::size_t kUserTime = 11;  // in ticks
constexpr std::size_t kSystemTime = 12;
constexpr std::size_t kProcessor = 36;

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "4711 (a name (with) anything) R 1 ..": what stands in the outermost brackets, and the words behind.
struct Stat {
  std::string name;
  std::vector<std::string> words;
};

std::optional<Stat> stat_of(const std::string& folder) {
  const std::string text = os::read_text(folder + "/stat").value_or("");
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Stat stat{text.substr(open + 1, close - open - 1), {}};
  std::istringstream words(text.substr(close + 1));
  for (std::string word; words >> word;) stat.words.push_back(word);
  if (stat.words.size() <= kProcessor) return std::nullopt;
  return stat;
}

// To the nanosecond where the kernel keeps that, else to the tick.
std::int64_t cpu_time_ns(const std::string& folder, const Stat& stat) {
  if (const auto text = os::read_text(folder + "/schedstat"); text && !text->empty()) return number(*text);
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  const std::int64_t ticks = number(stat.words[kUserTime]) + number(stat.words[kSystemTime]);
  return ticks * (kSecond_ns / std::max(1L, ::sysconf(_SC_CLK_TCK)));
}

std::optional<ThreadActivity> thread_of(const std::string& folder, pid_t thread, bool has_own_numbers) {
  const auto stat = stat_of(folder);
  if (!stat || stat->words[kState] == "Z" || stat->words[kState] == "X") return std::nullopt;
  ThreadActivity found{.id = thread,
                       .own_number = thread,
                       .name = stat->name,
                       .state = stat->words[kState].front(),
                       .cpu = static_cast<int>(number(stat->words[kProcessor])),
                       .cpus = {},
                       .cpu_ns = cpu_time_ns(folder, *stat)};
  if (!os::affinity_if_alive(thread, found.cpus)) return std::nullopt;
  if (!has_own_numbers) return found;
  const std::string status = os::read_text(folder + "/status").value_or("");
  found.own_number = os::last_number(os::status_field(status, "NSpid")).value_or(thread);
  return found;
}

}  // namespace

Activity activity_of(pid_t process) {
  constexpr std::uint64_t kKilobyte = 1024;
  const std::string folder = "/proc/" + std::to_string(process);
  const std::string status = os::read_text(folder + "/status").value_or("");
  std::string_view memory = os::status_field(status, "VmRSS");  // "   1628 kB"
  memory.remove_prefix(std::min(memory.find_first_not_of(' '), memory.size()));
  const bool has_own_numbers = os::last_number(os::status_field(status, "NSpid")).value_or(process) != process;
  Activity found{.memory_bytes = static_cast<std::uint64_t>(number(memory)) * kKilobyte, .threads = {}};
  for (const pid_t id : os::numbered_entries(folder + "/task")) {
    if (auto one = thread_of(folder + "/task/" + std::to_string(id), id, has_own_numbers)) {
      found.threads.push_back(std::move(*one));
    }
  }
  // Numbers that ran over give later threads lower ones.
  std::stable_partition(found.threads.begin(), found.threads.end(),
                        [&](const ThreadActivity& one) { return one.id == process; });
  return found;
}

}  // namespace comity::cli
