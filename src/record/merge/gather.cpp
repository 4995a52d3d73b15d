// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/gather.hpp"

#include <utility>

#include "record/merge/tree.hpp"

namespace comity::record {
namespace {

// What a leader has goes up with its number; at the top it is kept.
class Way {
 public:
  Way(Exchange& exchange, int parent) : exchange_(exchange), parent_(parent) {
    if (is_top()) all_.resize(static_cast<std::size_t>(exchange.size()));
  }

  void take(int rank, Bytes bytes) {
    if (is_top()) {
      all_.at(static_cast<std::size_t>(rank)) = std::move(bytes);
      return;
    }
    ByteWriter numbered;
    numbered.number(static_cast<std::uint32_t>(rank));
    numbered.raw(bytes);
    exchange_.send(parent_, numbered.bytes());
  }

  // All that a leader below sends, up to an empty message.
  void take_child(int child) {
    for (Bytes bytes = exchange_.receive(child); !bytes.empty(); bytes = exchange_.receive(child)) {
      ByteReader from(bytes);
      const auto rank = static_cast<int>(from.number<std::uint32_t>());
      const auto what = from.raw(from.left());
      take(rank, {what.begin(), what.end()});
    }
  }

  std::vector<Bytes> end() {
    if (!is_top()) exchange_.send(parent_, {});
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool is_top() const { return parent_ < 0; }

  Exchange& exchange_;
  int parent_;
  std::vector<Bytes> all_;
};

}  // namespace

std::vector<Bytes> gather(Exchange& exchange, const std::vector<std::uint32_t>& node_of_rank, Bytes mine) {
  const MergeWays ways = ways_of(exchange.rank(), node_of_rank);
  if (!ways.leads(exchange.rank())) {
    exchange.send(ways.leader, mine);
    return {};
  }
  Way way(exchange, ways.parent);
  way.take(exchange.rank(), std::move(mine));
  for (const int other : ways.node_ranks) way.take(other, exchange.receive(other));
  for (const int child : ways.children) way.take_child(child);
  return way.end();
}

}  // namespace comity::record
