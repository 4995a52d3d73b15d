// SPDX-License-Identifier: BSD-3-Clause
// A step that every rank of a job takes: if it fails on one rank, it fails on all with the same code.
#pragma once

#include <exception>
#include <new>

#include "base/error.hpp"
#include "node/bootstrap.hpp"

namespace comity::runtime {

// Collective over the job. Where ranks fail with different codes, the largest counts.
template <typename Step>
void agree(node::Bootstrap& bootstrap, Step&& step) {
  Status mine = Status::ok;
  std::exception_ptr failure;  // kept as it is: a copy of its words may need memory that is not there
  try {
    step();
  } catch (const Error& error) {
    mine = error.status();
    failure = std::current_exception();
  } catch (const std::bad_alloc&) {
    mine = Status::memory;
    failure = std::current_exception();
  } catch (const std::exception&) {
    mine = Status::internal;
    failure = std::current_exception();
  }
  const auto status = static_cast<Status>(bootstrap.job_max(static_cast<std::int64_t>(mine)));
  if (status == Status::ok) return;
  if (failure && status == mine) std::rethrow_exception(failure);
  throw Error(status, "another rank of the job failed to create the context (its own message says why)");
}

}  // namespace comity::runtime
