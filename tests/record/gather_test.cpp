// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job are threads; each counts from whom it hears.
#include "record/merge/gather.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>

#include "thread_exchange.hpp"

namespace comity::record {
namespace {

using testing::run_exchange;
using testing::ThreadExchange;

class Listening final : public Exchange {
 public:
  explicit Listening(ThreadExchange& exchange) : exchange_(exchange) {}
  [[nodiscard]] int rank() const override { return exchange_.rank(); }
  [[nodiscard]] int size() const override { return exchange_.size(); }
  void send(int to, std::span<const std::byte> bytes) override { exchange_.send(to, bytes); }
  [[nodiscard]] Bytes receive(int from) override {
    heard_.insert(from);
    return exchange_.receive(from);
  }
  [[nodiscard]] std::size_t heard() const { return heard_.size(); }

 private:
  ThreadExchange& exchange_;
  std::set<int> heard_;
};

Bytes bytes_of(int rank) {
  const std::string text = "rank " + std::to_string(rank) + std::string(static_cast<std::size_t>(rank), '.');
  const auto bytes = std::as_bytes(std::span(text));
  return rank == 3 ? Bytes{} : Bytes{bytes.begin(), bytes.end()};  // a rank may have nothing to say
}

// Returns from how many ranks the first one heard.
std::size_t expect_all_at_the_first(const std::vector<std::uint32_t>& node_of_rank) {
  const auto ranks = static_cast<int>(node_of_rank.size());
  std::size_t heard = 0;
  std::mutex mutex;
  const bool empty = run_exchange(ranks, [&](ThreadExchange& threads) {
    Listening exchange(threads);
    const std::vector<Bytes> all = gather(exchange, node_of_rank, bytes_of(exchange.rank()));
    const std::lock_guard lock(mutex);
    if (exchange.rank() != kGatherer) {
      EXPECT_TRUE(all.empty());
      return;
    }
    heard = exchange.heard();
    EXPECT_EQ(all.size(), node_of_rank.size());
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(all.at(static_cast<std::size_t>(rank)), bytes_of(rank));
  });
  EXPECT_TRUE(empty) << "all messages were received";
  return heard;
}

TEST(Gather, BringsEverybodysBytesToTheFirstRank) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 8U, 16U}) {
    EXPECT_EQ(expect_all_at_the_first(std::vector<std::uint32_t>(ranks, 0)), ranks - 1) << "one node";
  }
}

TEST(Gather, GoesUpATreeOfNodes) {
  std::vector<std::uint32_t> nodes(16);
  for (std::uint32_t rank = 0; rank < 16; ++rank) nodes[rank] = rank;
  EXPECT_EQ(expect_all_at_the_first(nodes), 4U) << "the logarithm of the nodes";
  for (std::uint32_t rank = 0; rank < 16; ++rank) nodes[rank] = rank / 4;
  EXPECT_EQ(expect_all_at_the_first(nodes), 3U + 2U) << "its node, and the logarithm of the nodes";
  for (std::uint32_t rank = 0; rank < 16; ++rank) nodes[rank] = rank % 5;  // round robin, and uneven
  EXPECT_EQ(expect_all_at_the_first(nodes), 3U + 3U);
}

}  // namespace
}  // namespace comity::record
