// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a graph, or its ranks are placed, each once.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "place/job/graph_file.hpp"
#include "place/mapper.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace comity::place;
  constexpr std::size_t kMostRanksPlaced = 24;
  try {
    const Graph graph = parse_graph({reinterpret_cast<const char*>(data), bytes}, "text").graph;
    if (graph.ranks() > kMostRanksPlaced) return 0;
    const Site site({{8, {3}}});
    const Answer answer = mapped(graph, nullptr, site, {});
    const std::set<Place> places(answer.mapping.begin(), answer.mapping.end());
    if (places.size() != graph.ranks() || *places.rbegin() >= site.places()) std::abort();
    if (answer.bounds[0].sum > answer.cut[0].weight.sum || answer.bounds[0].worst > answer.cut[0].weight.worst)
      std::abort();
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  return 0;
}
