// SPDX-License-Identifier: BSD-3-Clause
// A binding as libquo tells it, for the programs beside the conformance suite.
#pragma once

#include <quo.h>

#include <cstdlib>
#include <string>

#include "mpi/expect.hpp"

namespace conform {

inline std::string binding(QUO_context q) {
  char* text = nullptr;
  comity::testing::expect_equal(QUO_stringify_cbind(q, &text), QUO_SUCCESS, "QUO_stringify_cbind");
  const std::string found = text == nullptr ? "?" : text;
  std::free(text);
  return found;
}

}  // namespace conform
