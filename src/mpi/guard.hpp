// SPDX-License-Identifier: BSD-3-Clause
// No exception leaves a function of the C interface. A net alone: who throws between two collective calls leaves the others
// waiting in the next one, so what may fail there is told as a code and agreed on.
#pragma once

#include <exception>
#include <new>

#include "mpi/report.hpp"

namespace comity::mpi {

template <typename Call>
comity_status guard(Call&& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  } catch (const std::exception& error) {
    return report(COMITY_ERR_INTERNAL, error.what());
  }
}

}  // namespace comity::mpi
