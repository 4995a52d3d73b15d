// SPDX-License-Identifier: BSD-3-Clause
#include "context/begun_in_library.hpp"

namespace {

void* begin(void* call) {
  const auto* const given = static_cast<comity_test_call*>(call);
  given->run(given->with);
  return nullptr;
}

}  // namespace

int comity_test_begin_in_library(pthread_t* thread, comity_test_call* call) {
  return pthread_create(thread, nullptr, begin, call);
}
