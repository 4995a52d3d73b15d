// SPDX-License-Identifier: BSD-3-Clause
// A step that every rank of a job takes: if it fails on one rank, it fails on all with the same code.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "node/bootstrap.hpp"

namespace comity::runtime {

// Collective over the job. Where ranks fail with different codes, the largest counts.
template <typename Step>
void agree(node::Bootstrap& bootstrap, Step&& step) {
  std::optional<Error> mine;
  try {
    step();
  } catch (const Error& error) {
    mine = error;
  } catch (const std::bad_alloc&) {
    mine = Error(Status::memory, "create a context: out of memory");
  } catch (const std::exception& error) {
    mine = Error(Status::internal, std::string("create a context: ") + error.what());
  }
  const auto code = bootstrap.job_max(mine ? static_cast<std::int64_t>(mine->status()) : 0);
  if (code == 0) return;
  const auto status = static_cast<Status>(code);
  if (mine) throw Error(status, mine->what());
  throw Error(status, "another rank of the job failed to create the context (its own message says why)");
}

}  // namespace comity::runtime
