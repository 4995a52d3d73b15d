// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/run_index.hpp"

#include "record/format/header.hpp"
#include "record/run/body_start.hpp"

namespace comity::record {
namespace {

constexpr std::size_t kEntry_bytes = 4 * sizeof(std::uint32_t) + 4 * sizeof(std::uint64_t);
constexpr std::size_t kLeastNode_bytes = 4 * sizeof(std::uint32_t);  // its number, and an empty summary
constexpr std::size_t kLeastNote_bytes = sizeof(std::uint32_t);

void check_numbers(const RankEntry& entry) {
  if (is_of_a_job(entry)) return;
  throw senseless("no job has a rank " + std::to_string(entry.rank) + " on a node " + std::to_string(entry.node));
}

void check_place(const RankEntry& entry, std::uint64_t bodies_end) {
  if (entry.body_at < sizeof(RunHeader) || entry.body_at > bodies_end ||
      entry.body_bytes > bodies_end - entry.body_at) {
    throw senseless("the body of rank " + std::to_string(entry.rank) + " would stand outside");
  }
}

}  // namespace

void RunIndex::encode(ByteWriter& into) const {
  into.text(job);
  into.number(job_ranks);
  into.number(static_cast<std::uint32_t>(ranks.size()));
  for (const RankEntry& entry : ranks) record::encode(entry, into);
  into.number(static_cast<std::uint32_t>(nodes.size()));
  for (const auto& [node, summary] : nodes) {
    into.number(node);
    summary.encode(into);
  }
  all.encode(into);
  into.number(static_cast<std::uint32_t>(notes.size()));
  for (const std::string& note : notes) into.text(note);
}

RunIndex RunIndex::decode(ByteReader& from, std::uint64_t bodies_end) {
  RunIndex index;
  index.job = from.text();
  index.job_ranks = from.number<std::uint32_t>();
  if (index.job_ranks > kMostRanks) throw senseless("no job has " + std::to_string(index.job_ranks) + " ranks");
  index.ranks.resize(from.count(from.number<std::uint32_t>(), kEntry_bytes));
  for (std::size_t i = 0; i < index.ranks.size(); ++i) {
    index.ranks[i] = decode_entry(from);
    check_numbers(index.ranks[i]);
    check_place(index.ranks[i], bodies_end);
    if (i > 0 && index.ranks[i].rank <= index.ranks[i - 1].rank) throw senseless("ranks are out of order");
  }
  const std::size_t nodes = from.count(from.number<std::uint32_t>(), kLeastNode_bytes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto node = from.number<std::uint32_t>();
    index.nodes.insert_or_assign(node, Summary::decode(from));
  }
  index.all = Summary::decode(from);
  index.notes.resize(from.count(from.number<std::uint32_t>(), kLeastNote_bytes));
  for (std::string& note : index.notes) note = from.text();
  from.expect_end();
  return index;
}

}  // namespace comity::record
