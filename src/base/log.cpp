// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace comity::log {
namespace {

std::atomic<int> current_level{static_cast<int>(Level::warning)};
std::atomic<int> current_rank{-1};
constexpr std::array<const char*, 4> kLevelNames{"error", "warning", "info", "debug"};

}  // namespace

Level level_named(std::string_view word) {
  const auto found = std::find(kLevelNames.begin(), kLevelNames.end(), word);
  return found == kLevelNames.end() ? Level::warning : static_cast<Level>(found - kLevelNames.begin());
}

void set_level(Level level) { current_level.store(static_cast<int>(level), std::memory_order_relaxed); }
void set_rank(int rank) { current_rank.store(rank, std::memory_order_relaxed); }

bool enabled(Level level) { return static_cast<int>(level) <= current_level.load(std::memory_order_relaxed); }

void write(Level level, std::string_view area, std::string_view message) {
  if (!enabled(level)) return;
  const int rank = current_rank.load(std::memory_order_relaxed);
  const std::string who = rank < 0 ? std::string() : "rank " + std::to_string(rank) + ", ";
  // One call, so that lines of several ranks do not mix.
  std::fprintf(stderr, "comity: %s: [%.*s] %.*s (%spid %d)\n", kLevelNames[static_cast<std::size_t>(level)],
               static_cast<int>(area.size()), area.data(), static_cast<int>(message.size()), message.data(),
               who.c_str(), static_cast<int>(getpid()));
}

void warning_once(std::string_view area, std::string_view message) {
  // Never destroyed: others may still warn while the process exits.
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string>;
  {
    const std::lock_guard lock(mutex);
    if (!said.insert(std::string(area) + '\n' + std::string(message)).second) return;
  }
  warning(area, message);
}

}  // namespace comity::log
