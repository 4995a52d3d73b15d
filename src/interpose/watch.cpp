// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/watch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "interpose/loaded_mpi.hpp"

namespace comity::interpose {

constinit thread_local const void* outermost_frame __attribute__((tls_model("initial-exec"))) = nullptr;

// Written once before any way leads past it, read without a lock after that.
constinit std::array<Watch, kFunctions> watches{};

namespace {

static_assert(kMostSubscribers <= 255);

constinit std::once_flag settled;
constinit bool watched = false;

void add(Watch& watch, Subscriber* subscriber, Depth depth) {
  if (depth == Depth::none) return;
  watch.who[watch.count++] = {subscriber, depth};
  watch.depth = std::max(watch.depth, depth);
  watched = true;
}

void replace(Watch& watch, Replacement replacement) {
  if (replacement == nullptr || watch.replacement != nullptr) return;
  watch.replacement = replacement;
  watched = true;
}

void settle() {
  if (!is_the_mpi_that_we_were_built_for()) return;
  const Subscribers all = subscribers();
  for (Subscriber* const subscriber : all.first(std::min(all.size(), kMostSubscribers))) {
    for (std::size_t i = 0; i < kFunctions; ++i) {
      add(watches[i], subscriber, subscriber->depth(kFacts[i]));
      replace(watches[i], subscriber->replacement(kFacts[i]));
    }
  }
}

}  // namespace

bool anybody_watches() {
  std::call_once(settled, settle);
  return watched;
}

}  // namespace comity::interpose
