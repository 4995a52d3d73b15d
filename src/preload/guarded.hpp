// SPDX-License-Identifier: BSD-3-Clause
// A step of a measurement: one that fails costs the program nothing but a line, which says what is lost.
#pragma once

#include <exception>
#include <string>

#include "base/log.hpp"

namespace comity::preload {

template <typename Step>
void guarded(const char* loss, Step&& step) noexcept {
  try {
    step();
  } catch (const std::exception& error) {
    log::error("preload", std::string(loss) + ": " + error.what());
  }
}

}  // namespace comity::preload
