// SPDX-License-Identifier: BSD-3-Clause
// RunReader: a merged record, read. Opening it reads the index alone, milliseconds for thousands of ranks; the body of a
// rank is read when it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/files/descriptor.hpp"
#include "record/clock_map.hpp"
#include "record/format/content.hpp"
#include "record/run/run_index.hpp"

namespace comity::record {

// What a rank recorded.
struct RankBody {
  RankEntry entry;
  Content content;
  bool is_damaged = false;  // the file was changed after it was written: a part is missing

  [[nodiscard]] ClockMap clock() const { return ClockMap::from_facts(content.facts); }
};

// What becomes of a file whose index cannot be read.
enum class WithoutIndex : std::uint8_t {
  refuse,
  salvage,  // the ranks that are found without it are there
};

class RunReader {
 public:
  // The file, or the folder that holds it as run.comity. Throws Status::not_found where the folder has none (and says whether it
  // can be made of what is there), and for other files what check_run_header() says; to salvage one, where no rank is found.
  explicit RunReader(const std::string& path, WithoutIndex without_index = WithoutIndex::refuse);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& job() const { return index_.job; }
  [[nodiscard]] std::uint32_t job_ranks() const { return index_.job_ranks; }
  [[nodiscard]] const std::vector<RankEntry>& ranks() const { return index_.ranks; }
  [[nodiscard]] const Summary& all() const { return index_.all; }
  [[nodiscard]] const std::map<std::uint32_t, Summary>& nodes() const { return index_.nodes; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return index_.notes; }

  // Why its index was not read, and the ranks are those that were found without it; "": it was.
  [[nodiscard]] const std::string& index_damage() const { return index_damage_; }

  [[nodiscard]] bool has_rank(std::uint32_t rank) const;
  // How many of the job's ranks have no body: killed before they recorded, or kept by a host that shares no folder.
  [[nodiscard]] std::uint32_t missing_ranks() const;
  // Throws Status::not_found where that rank left no record.
  [[nodiscard]] RankBody rank(std::uint32_t rank, Parts parts = Parts::all) const;
  // The bytes of its body as they stand in the file: fewer than it should have where that was cut off.
  [[nodiscard]] Bytes body_bytes(const RankEntry& entry) const;

 private:
  void read_index();
  [[nodiscard]] RunIndex salvaged() const;
  [[nodiscard]] const RankEntry* find(std::uint32_t rank) const;

  std::string path_;
  os::Descriptor file_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t bodies_end_ = 0;  // [bytes] as the header tells it, if it holds; else the file's
  RunIndex index_;
  std::string index_damage_;
};

}  // namespace comity::record
