// SPDX-License-Identifier: BSD-3-Clause
// How calls of C++ fail: an exception for each code of error.h but COMITY_OK.
#pragma once

#include <comity/error.h>

#include <stdexcept>

namespace comity {

// A call failed: code() is the comity_status, what() the sentence of comity_last_error().
class Failure : public std::runtime_error {
 public:
  explicit Failure(comity_status code) : std::runtime_error(comity_last_error()), code_(code) {}
  [[nodiscard]] comity_status code() const noexcept { return code_; }

 private:
  comity_status code_;
};

inline void check(comity_status status) {
  if (status != COMITY_OK) throw Failure(status);
}

}  // namespace comity
