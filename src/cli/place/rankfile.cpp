// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/rankfile.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace comity::cli {
namespace {

using place::CoreSeat;
using place::Plan;
using place::Rank;

constexpr std::size_t kRoomBytes =
    64;  // of both for a list of cores and the zero behind it; more is cut off, without a word
constexpr std::string_view kBeforeList = " slot=";

// "0-2", "5"; numbers must ascend.
std::vector<std::string> ranges(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    texts.push_back(std::to_string(numbers[i]) + (end - i > 1 ? '-' + std::to_string(numbers[end - 1]) : ""));
    i = end;
  }
  return texts;
}

// Of packages and their cores, both logical. The list is split at commas before packages are looked for, so each range names its own.
std::string by_packages(const Plan& plan, Rank rank) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> packages;
  for (const CoreSeat& core : plan.cores(rank)) packages[core.package].push_back(core.in_package);
  std::string text;
  for (auto& [package, numbers] : packages) {
    std::sort(numbers.begin(), numbers.end());
    for (const std::string& range : ranges(numbers)) {
      text += (text.empty() ? "" : ",") + std::to_string(package) + ':' + range;
    }
  }
  return text;
}

// Of cores alone: behind a package 5 reads one range, and of a later package the cores of the first one; and it counts cores before a
// package as if all had as many as this one.
std::string by_slots(const Plan& plan, Rank rank) {
  std::vector<std::uint32_t> numbers;
  for (const CoreSeat& core : plan.cores(rank)) {
    for (std::uint32_t i = 0; i < core.slots; ++i) numbers.push_back(core.slot + i);
  }
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (const std::string& range : ranges(numbers)) text += (text.empty() ? "" : ",") + range;
  return text;
}

// `list_of`: the cores of a rank. `unbound`: what stands there where a rank is to be bound by somebody else. `room_bytes`: by the host.
template <typename ListOf, typename Unbound, typename Room>
Rankfile rankfile_of(const Plan& plan, const std::vector<std::string>& hosts, ListOf&& list_of, Unbound&& unbound,
                     Room&& room_bytes) {
  Rankfile file;
  std::vector<std::string> lists;
  for (Rank rank = 0; rank < plan.ranks(); ++rank) {
    lists.push_back(list_of(rank));
    if (lists.back().size() >= room_bytes(hosts[plan.seat(rank).node])) file.binds = false;
  }
  for (Rank rank = 0; rank < plan.ranks(); ++rank) {
    file.text += "rank " + std::to_string(rank) + '=' + hosts[plan.seat(rank).node];
    file.text.append(kBeforeList).append(file.binds ? lists[rank] : unbound(rank)) += '\n';
  }
  return file;
}

}  // namespace

// 4 writes host and list into the same room besides, for a message. It must have a list: a whole package, in which several ranks may be.
Rankfile openmpi4_rankfile(const Plan& plan, const std::vector<std::string>& hosts) {
  return rankfile_of(
      plan, hosts, [&](Rank rank) { return by_packages(plan, rank); },
      [&](Rank rank) { return std::to_string(plan.cores(rank).front().package) + ":*"; },
      [](const std::string& host) { return kRoomBytes - std::min(kRoomBytes, host.size() + kBeforeList.size()); });
}

// 5 must have a list, and does not look at it where it binds nobody.
Rankfile openmpi5_rankfile(const Plan& plan, const std::vector<std::string>& hosts) {
  return rankfile_of(
      plan, hosts, [&](Rank rank) { return by_slots(plan, rank); }, [](Rank) { return std::string("0"); },
      [](const std::string&) { return kRoomBytes; });
}

bool numbers_differ_between_nodes(const Plan& plan) {
  std::map<std::uint32_t, CpuSet> known;  // by slot
  const place::NodeShape* last = nullptr;
  for (std::uint32_t node = 0; node < plan.nodes(); ++node) {
    const place::NodeShape* const shape = &plan.shape(node);
    if (plan.ranks_of_nodes()[node].empty() || shape == std::exchange(last, shape)) continue;
    for (place::Place core = 0; core < shape->cores; ++core) {
      const CoreSeat seat = shape->seat(core);
      if (known.emplace(seat.slot, seat.cpus).first->second != seat.cpus) return true;
    }
  }
  return false;
}

}  // namespace comity::cli
