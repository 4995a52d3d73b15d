// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/watch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>

#include "interpose/loaded_mpi.hpp"
#include "os/code/loaded_object.hpp"

namespace comity::interpose {

constinit thread_local const Outermost* outermost __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local const void* inner_caller __attribute__((tls_model("initial-exec"))) = nullptr;

// Written once before any way leads past it, read without a lock after that.
constinit std::array<Watch, kFunctions> watches{};

namespace {

static_assert(kMostSubscribers <= 255);

constinit std::once_flag settled;
constinit std::atomic<bool> has_come{false};
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

// Each call asks for this alone.
void settle_looks() {
  for (Watch& watch : watches) watch.looks = watch.depth != Depth::none || watch.follows;
}

constinit std::array<const Subscriber*, kMostSubscribers> stopped{};

Subscribers all_subscribers() {
  const Subscribers all = subscribers();
  return all.first(std::min(all.size(), kMostSubscribers));
}

using Asks = Replacement (Subscriber::*)(const Facts&) const noexcept;
Replacement find_replacement(const Facts& facts, Asks asks) {
  for (const Subscriber* const one : all_subscribers()) {
    if (std::find(stopped.begin(), stopped.end(), one) != stopped.end()) continue;
    if (const Replacement found = (one->*asks)(facts); found != nullptr) return found;
  }
  return nullptr;
}

void settle_replacements() {
  for (std::size_t i = 0; i < kFunctions; ++i) {
    const Replacement found = find_replacement(kFacts[i], &Subscriber::replacement);
    const Replacement inside = find_replacement(kFacts[i], &Subscriber::replacement_inside);
    if (found != nullptr) watched = true;
    if (found != watches[i].replacement) watches[i].replacement = found;
    if (inside != watches[i].inside) watches[i].inside = inside;
  }
}

void settle() {
  has_come.store(true, std::memory_order_relaxed);
  if (!is_the_mpi_that_we_were_built_for()) return;
  for (Subscriber* const subscriber : all_subscribers()) {
    for (std::size_t i = 0; i < kFunctions; ++i) add(i, subscriber);
  }
  settle_replacements();
  follow_requests();
  settle_looks();
}

}  // namespace

// Its plugins are libraries of their own.
bool inner_call_is_the_mpis() noexcept {
  static const auto mpi = os::loaded_object_at(reinterpret_cast<std::uintptr_t>(real_function("PMPI_Init")));
  const auto caller = os::loaded_object_at(reinterpret_cast<std::uintptr_t>(inner_caller));
  if (!caller) return false;
  return (mpi && mpi->start == caller->start) || std::string_view(caller->path).find("/mca_") != std::string_view::npos;
}

void stop_replacing(const Subscriber& who) {
  *std::find(stopped.begin(), stopped.end() - 1, nullptr) = &who;
  settle_replacements();
}

bool has_been_called() noexcept { return has_come.load(std::memory_order_relaxed); }

bool anybody_watches() {
  std::call_once(settled, settle);
  return watched;
}

}  // namespace comity::interpose
