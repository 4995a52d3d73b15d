// SPDX-License-Identifier: BSD-3-Clause
// RankReader: the file of one rank, whatever its writer's end: whole, killed, or still at work.
#pragma once

#include <cstdint>
#include <string>

#include "os/files/folder.hpp"
#include "record/format/content.hpp"
#include "record/format/header.hpp"

namespace comity::record {

class RankReader {
 public:
  // Reads all of it. Throws Status::argument for what is no record or was cut off in its header, Status::version for a newer
  // one, Status::unsupported for one of another byte order; the sentence names the file.
  explicit RankReader(const std::string& path);
  RankReader(const os::Folder& folder, const std::string& name);

  [[nodiscard]] const Identity& who() const { return who_; }
  [[nodiscard]] std::int64_t opened_ns() const { return header_.opened_ns; }
  [[nodiscard]] std::int64_t opened_wall_ns() const { return header_.opened_wall_ns; }
  [[nodiscard]] const Content& content() const { return content_; }
  [[nodiscard]] Content& content() { return content_; }

  [[nodiscard]] bool ended_well() const { return content_.ended_ns.has_value(); }
  // A chunk did not hold; those before it are there.
  [[nodiscard]] bool is_damaged() const { return scan_.end == ScanEnd::damaged; }
  // [bytes] in the file, where the next chunk would begin or the first begins that does not hold.
  [[nodiscard]] std::uint64_t stopped_at() const { return stopped_at_; }
  // A process still has it.
  [[nodiscard]] bool is_in_use() const { return in_use_; }
  // "ended", "in use", "did not end", "damaged at byte 1234".
  [[nodiscard]] std::string state() const;

 private:
  void read(const os::Descriptor& file, const std::string& path);

  RankHeader header_{};
  Identity who_;
  Content content_;
  Scan scan_{};
  std::uint64_t stopped_at_ = 0;
  bool in_use_ = false;
};

}  // namespace comity::record
