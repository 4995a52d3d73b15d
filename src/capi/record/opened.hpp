// SPDX-License-Identifier: BSD-3-Clause
// Opened: a record, and what it tells of its job as the struct of the header.
#pragma once

#include <comity/record.h>

#include <string>
#include <vector>

#include "record/run/run_reader.hpp"

namespace comity::capi::record {

class Opened {
 public:
  // Throws Status::argument for what is no value of `how`, and what reading and recovering throw.
  Opened(const std::string& path, comity_record_how how);
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  [[nodiscard]] const comity::record::RunReader& reader() const { return reader_; }
  [[nodiscard]] const comity_record_job& job() const { return job_; }

 private:
  comity::record::RunReader reader_;
  std::vector<comity_record_entry> entries_;
  std::vector<const char*> notes_;
  comity_record_job job_{};
};

}  // namespace comity::capi::record
