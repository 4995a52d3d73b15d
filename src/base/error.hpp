// SPDX-License-Identifier: BSD-3-Clause
// The one exception type inside Comity and the one table of codes. Not: how codes leave the library (capi).
// A message names what failed, on which object, why, and what to do; it is written where the error is made.
#pragma once

#include <comity/error.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace comity {

enum class Status : int {
  ok = COMITY_OK,
  argument = COMITY_ERR_ARGUMENT,
  handle = COMITY_ERR_HANDLE,
  range = COMITY_ERR_RANGE,
  not_found = COMITY_ERR_NOT_FOUND,
  order = COMITY_ERR_ORDER,
  mpi = COMITY_ERR_MPI,
  topology = COMITY_ERR_TOPOLOGY,
  version = COMITY_ERR_VERSION,
  system = COMITY_ERR_SYSTEM,
  memory = COMITY_ERR_MEMORY,
  peer_lost = COMITY_ERR_PEER_LOST,
  timeout = COMITY_ERR_TIMEOUT,
  unsupported = COMITY_ERR_UNSUPPORTED,
  option = COMITY_ERR_OPTION,
  internal = COMITY_ERR_INTERNAL,
};

struct StatusRow {
  Status status;
  std::string_view name;
  std::string_view text;  // what the code means in general, and what to do; ends with a full stop
};

// Row i describes code i.
extern const std::array<StatusRow, 16> kStatusTable;

class Error : public std::exception {
 public:
  Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  Status status_;
  std::string message_;
};

// "create the segment: memfd_create: Too many open files (24)" with Status::system, or Status::memory where the
// errno says that memory or space ran out.
[[nodiscard]] Error system_error(std::string_view what_failed, int error_number, std::string_view what_to_do = {});

}  // namespace comity
