// SPDX-License-Identifier: BSD-3-Clause
// A run of many ranks made from the files of a few real ones, so that readers can be tried on jobs that no one machine runs.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/files/folder.hpp"
#include "record/merge/names.hpp"
#include "record/merge/parcel.hpp"
#include "record/run/run_file.hpp"
#include "shrinking.hpp"

namespace comity::testing {

struct Multiple {
  std::uint32_t ranks = 1;
  std::uint32_t ranks_a_node = 64;
  std::size_t body_bytes = 65536;  // at most; samples and spans are merged as far as that takes
};

// Writes run.comity into `folder`. Rank r is a copy of file r mod their number, but for the facts that say its rank and node.
inline void multiply(const std::vector<std::string>& rank_files, const Multiple& wanted, const std::string& folder) {
  std::vector<record::Content> contents;
  std::int64_t opened_ns = 0;
  std::int64_t opened_wall_ns = 0;
  for (const std::string& path : rank_files) {
    const record::RankReader reader(path);
    record::Content& content = contents.emplace_back(reader.content());
    for (const char* number : {"rank", "node"})
      content.facts[number] = "0000000000";  // so that lengths are the same on all
    opened_ns = reader.opened_ns();
    opened_wall_ns = reader.opened_wall_ns();
    const std::size_t unmerged = record::encoded_bytes(content) - record::timeline_bytes(content);
    record::shrink_timeline(content, wanted.body_bytes - std::min(unmerged, wanted.body_bytes));
    if (record::encoded_bytes(content) <= wanted.body_bytes) continue;
    throw Error(Status::range, path + " has facts, tables and names of " + std::to_string(unmerged) +
                                   " bytes, which do not fit into " + std::to_string(wanted.body_bytes));
  }
  if (contents.empty()) throw Error(Status::argument, "multiply no files: name at least one rank-<n>.comity");
  os::make_folders(folder);
  const os::Folder into(folder);
  record::RunFile file(into, record::kRunFile, "multiplied");
  record::Summary node;
  for (std::uint32_t rank = 0; rank < wanted.ranks; ++rank) {
    record::Content& content = contents[rank % contents.size()];
    content.facts["rank"] = std::to_string(rank);
    content.facts["node"] = std::to_string(rank / wanted.ranks_a_node);
    const record::Bytes body = record::encode(content);
    const record::RankEntry entry{.rank = rank,
                                  .node = rank / wanted.ranks_a_node,
                                  .end = content.ended_ns ? record::RankEnd::ended : record::RankEnd::did_not_end,
                                  .opened_ns = opened_ns,
                                  .opened_wall_ns = opened_wall_ns,
                                  .body_at = 0,
                                  .body_bytes = body.size()};
    file.take_rank(entry, body);
    node.merge(record::Summary(rank, content));
    const bool last_of_node = (rank + 1) % wanted.ranks_a_node == 0 || rank + 1 == wanted.ranks;
    if (!last_of_node) continue;
    file.take_node(entry.node, node);
    node = {};
  }
  file.finish(wanted.ranks);
}

}  // namespace comity::testing
