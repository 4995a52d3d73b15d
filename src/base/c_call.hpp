// SPDX-License-Identifier: BSD-3-Clause
// What functions that C calls have in common, whichever library they are in: the code of an exception, and a null pointer refused.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/error.hpp"

namespace comity {

// For a handler of std::exception: the status of the one that it handles, whose sentence `tell` gets.
template <typename Tell>
[[gnu::cold, gnu::noinline]] Status status_in_handler(Tell&& tell) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    tell(error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    tell("out of memory; free some and call again");
    return Status::memory;
  } catch (const std::exception& error) {
    tell(error.what());
    return Status::internal;
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_null(const char* parameter, const char* instead) {
  throw Error(Status::argument, std::string("the pointer `") + parameter + "` is null; pass " + instead);
}

}  // namespace comity
