// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPercent = 100;

template <typename Peak, typename Last>
Compared compared(const std::string& name, const Job& a, const Job& b, Peak&& peak, Last&& last) {
  return {.name = name,
          .peak_a = spread_of(a, peak),
          .peak_b = spread_of(b, peak),
          .last_a = spread_of(a, last),
          .last_b = spread_of(b, last)};
}

std::set<std::string> names_in(const Job& a, const Job& b) {
  std::set<std::string> names;
  for (const Job* job : {&a, &b}) {
    for (const RankMemory& rank : job->ranks) {
      for (const auto& [name, figures] : rank.components) names.insert(name);
    }
  }
  return names;
}

bool all_know_owners(const Job& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(), [](const RankMemory& rank) { return rank.knows_owners; });
}

// "+11.00", "-0.25", "0.00".
std::string signed_mib(double bytes) {
  std::array<char, 32> text{};
  const bool is_shown = std::abs(bytes) >= kLeastShown_bytes;
  std::snprintf(text.data(), text.size(), is_shown ? "%+.2f" : "%.2f", is_shown ? bytes / kMiB : 0.0);
  return text.data();
}

std::string line_of(const Compared& one) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-22s %9.2f %7.2f %9.2f %7.2f %9s %9s\n", one.name.c_str(),
                one.peak_a.mean / kMiB, one.peak_a.deviation / kMiB, one.peak_b.mean / kMiB,
                one.peak_b.deviation / kMiB, signed_mib(one.peak_difference()).c_str(),
                signed_mib(one.last_difference()).c_str());
  return text.data();
}

std::string verdict(const Comparison& comparison) {
  const Compared& total = comparison.total;
  const double difference = total.peak_difference();
  if (std::abs(difference) < kLeastShown_bytes) return "A rank of B has at its peak as much memory as one of A.\n";
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(), "A rank of B has at its peak %.2f MiB %s than one of A",
                std::abs(difference) / kMiB, difference > 0 ? "more" : "less");
  std::string line = text.data();
  if (total.peak_a.mean > 0) {
    std::snprintf(text.data(), text.size(), " (%+.1f %%)", kPercent * difference / total.peak_a.mean);
    line += text.data();
  }
  if (!comparison.components.empty()) {
    const Compared& first = comparison.components.front();
    line += "; most has changed in " + first.name + ", by " + signed_mib(first.peak_difference());
  }
  return line + ".\n";
}

std::string notes(const Comparison& comparison) {
  std::string text;
  if (comparison.owners_known_a != comparison.owners_known_b) {
    text +=
        "WARNING: of one run it is known who asked for memory, of the other not: there blocks count as heap and\n"
        "anonymous, so components do not compare.\n";
  }
  if (comparison.ranks_a != comparison.ranks_b)
    text += "The runs have different numbers of ranks: what ranks share is divided among those of a node.\n";
  return text;
}

Json json_of(const Spread& peak, const Spread& last) {
  return {{"peak_mean_bytes", peak.mean}, {"peak_sd_bytes", peak.deviation}, {"peak_min_bytes", peak.least},
          {"peak_max_bytes", peak.most},  {"last_mean_bytes", last.mean},    {"last_sd_bytes", last.deviation}};
}

Json json_of(const Compared& one) {
  return {{"a", json_of(one.peak_a, one.last_a)},
          {"b", json_of(one.peak_b, one.last_b)},
          {"peak_difference_bytes", one.peak_difference()},
          {"last_difference_bytes", one.last_difference()}};
}

}  // namespace

Comparison compare(const Job& a, const Job& b) {
  Comparison comparison;
  comparison.ranks_a = a.ranks.size();
  comparison.ranks_b = b.ranks.size();
  comparison.owners_known_a = all_know_owners(a);
  comparison.owners_known_b = all_know_owners(b);
  for (const std::string& name : names_in(a, b)) {
    comparison.components.push_back(compared(
        name, a, b, [&](const RankMemory& rank) { return rank.of(name).peak; },
        [&](const RankMemory& rank) { return rank.of(name).last; }));
  }
  std::stable_sort(comparison.components.begin(), comparison.components.end(), [](const auto& one, const auto& other) {
    return std::abs(one.peak_difference()) > std::abs(other.peak_difference());
  });
  comparison.with_mpi = compared(
      "MPI and what it brings", a, b, [](const RankMemory& rank) { return rank.with_mpi().peak; },
      [](const RankMemory& rank) { return rank.with_mpi().last; });
  comparison.total = compared(
      "total, resident", a, b, [](const RankMemory& rank) { return rank.peak_rss_bytes; },
      [](const RankMemory& rank) { return rank.last_rss_bytes(); });
  if (const std::string method = delta_method_of(a); !method.empty() && method == delta_method_of(b))
    comparison.delta = compared(method, a, b, delta_peak_of, delta_last_of);
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  std::string text = verdict(comparison) + notes(comparison);
  text += "  MiB a rank            A: peak      sd  B: peak      sd  peak B-A   end B-A\n";
  for (const Compared& one : comparison.components) {
    if (std::max(one.peak_a.mean, one.peak_b.mean) >= kLeastShown_bytes) text += line_of(one);
  }
  text += line_of(comparison.with_mpi) + line_of(comparison.total);
  if (!comparison.delta) return text;
  Compared delta = *comparison.delta;
  delta.name = "MPI's by " + delta.name;
  return text + line_of(delta);
}

Json json_of(const Comparison& comparison) {
  Json components = Json::object();
  for (const Compared& one : comparison.components) components[one.name] = json_of(one);
  Json delta = nullptr;
  if (comparison.delta) {
    delta = json_of(*comparison.delta);
    delta["method"] = comparison.delta->name;
  }
  return {{"ranks", {{"a", comparison.ranks_a}, {"b", comparison.ranks_b}}},
          {"owners_known", {{"a", comparison.owners_known_a}, {"b", comparison.owners_known_b}}},
          {"components", std::move(components)},
          {"with_mpi", json_of(comparison.with_mpi)},
          {"total", json_of(comparison.total)},
          {"delta", std::move(delta)}};
}

}  // namespace comity::memory
