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

void add(std::size_t function, Subscriber* subscriber) {
  Watch& watch = watches[function];
  const Depth depth = subscriber->depth(kFacts[function]);
  if (depth == Depth::none) return;
  std::copy_backward(watch.told.begin(), watch.told.begin() + watch.count, watch.told.begin() + watch.count + 1);
  watch.told.front() = subscriber;
  ++watch.count;
  if (subscriber->announces(kFacts[function])) watch.announced_to[watch.announced++] = subscriber;
  watch.depth = std::max(watch.depth, depth);
  watched = true;
}

// Requests are made in few functions and complete in others.
void follow_requests() {
  bool wanted = false;
  for (std::size_t i = 0; i < kFunctions; ++i)
    wanted = wanted || (makes_requests(kRows[i]) && watches[i].depth >= Depth::traffic);
  for (std::size_t i = 0; i < kFunctions; ++i) watches[i].follows = wanted && meets_requests(kRows[i]);
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
      add(i, subscriber);
      replace(watches[i], subscriber->replacement(kFacts[i]));
    }
  }
  follow_requests();
}

}  // namespace

void stop_replacing() {
  for (Watch& watch : watches) {
    if (watch.replacement != nullptr) watch.replacement = nullptr;
  }
}

bool anybody_watches() {
  std::call_once(settled, settle);
  return watched;
}

}  // namespace comity::interpose
