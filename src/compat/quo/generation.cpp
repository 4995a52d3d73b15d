// SPDX-License-Identifier: BSD-3-Clause
#include "compat/quo/generation.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<int> forks{0};  // between the process that loaded this library and this one

void count_in_child() { forks.fetch_add(1, std::memory_order_relaxed); }

const bool is_counted = pthread_atfork(nullptr, nullptr, count_in_child) == 0;

}  // namespace

int comity::quo::generation() noexcept { return is_counted ? forks.load(std::memory_order_relaxed) : getpid(); }
