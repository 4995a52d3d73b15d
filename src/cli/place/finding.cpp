// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/finding.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/common/arguments.hpp"
#include "place/bounds/proof.hpp"
#include "place/division/uneven.hpp"
#include "place/torus.hpp"

namespace comity::cli {
namespace {

constexpr std::string_view kProving = "proving what no mapping falls below";
constexpr std::size_t kMostRanksForKahip = 20'000;  // it takes a minute then
constexpr std::size_t kMostRanksUnasked = 20'000;   // of those whom nobody named: they would take longer than all else

place::Answer with_bounds_by_ranks(place::Answer found, const Question& question,
                                   std::span<const std::uint32_t> widths) {
  place::raise_bounds_by_one_rank(found, question.graph, question.site, widths);
  return found;
}

place::Answer find_mapping(const Question& question, PlaceProgress& progress) {
  const auto& [graph, grid, site, threads, objective, torus, ask] = question;
  const auto show = [&](std::string_view step, std::size_t number, std::size_t of) { progress.show(step, number, of); };
  if (threads.size() > 1) {
    return place::mapped_uneven(graph, site, threads, objective, {grid, torus, show, ask});
  }
  if (torus != nullptr) return place::mapped_on_torus(graph, grid, site, *torus, objective, show, ask);
  return place::mapped(graph, grid, site, objective, show, ask);
}

}  // namespace

place::Partition partition_by(const std::string& word) {
  constexpr std::array<std::string_view, 4> kKnown{"all", "none", "gpart", "kaffpa"};
  if (std::find(kKnown.begin(), kKnown.end(), word) == kKnown.end()) {
    throw UsageError("--partitioner takes all, none, gpart or kaffpa, not " + in_quotes(word) + hint(word, kKnown));
  }
  if (word == "none") return {};
  std::vector<bench::Partitioner> asked;
  for (bench::Partitioner& one : bench::partitioners_here()) {
    if (word == "all" || word == one.name()) asked.push_back(std::move(one));
  }
  if (asked.empty() && word != "all") {
    throw Error(Status::not_found, "ask " + word + ": it is not on the PATH; leave --partitioner out");
  }
  if (asked.empty()) return {};
  const std::size_t most = word == "all" ? kMostRanksUnasked : place::kMostRanks;
  return [asked, most](const place::Graph& graph, const std::vector<std::size_t>& sizes,
                       const std::vector<std::uint32_t>& widths, const place::Portions& portions) {
    std::vector<place::Foreign> found;
    if (graph.ranks() > most) return found;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (portions) portions(i, asked.size());
      const bench::Partitioner& one = asked[i];
      if (one.kind == bench::Partitioner::Kind::kahip && graph.ranks() > kMostRanksForKahip) continue;
      if (auto division = bench::divide(one, graph, sizes, widths))
        found.push_back({one.name(), std::move(division->part)});
    }
    return found;
  };
}

// What is proven holds of every mapping, so that it is found beside ours where there is a core for it.
place::Answer find(const Question& question, PlaceProgress& progress) {
  const auto& [graph, grid, site, threads, objective, torus, ask] = question;
  const std::span<const std::uint32_t> widths = threads.size() > 1 ? std::span(threads) : std::span(threads).first(0);
  if (!place::flows_prove_more(graph, grid, site, widths)) {
    return with_bounds_by_ranks(find_mapping(question, progress), question, widths);
  }
  std::atomic<bool> is_mapped = false;  // until then it is told how far that is
  const place::Portions tell = [&](std::size_t number, std::size_t of) {
    if (is_mapped) progress.show(kProving, number, of);
  };
  std::future<std::vector<place::Weight>> proof =
      std::async(std::launch::async | std::launch::deferred, [&graph = graph, &site = site, widths, &tell] {
        return place::least_together_by_flows(graph, site, widths, tell);
      });
  place::Answer found = find_mapping(question, progress);
  is_mapped = true;
  progress.show(kProving);
  place::raise_bounds(found, site, proof.get());
  return with_bounds_by_ranks(std::move(found), question, widths);
}

}  // namespace comity::cli
