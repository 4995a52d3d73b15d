// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/rests.hpp"

#include <mutex>

namespace comity::coop {
namespace {

constinit std::mutex changing;
constinit RestListener told;

RestListener listener_now() {
  const std::lock_guard guard(changing);
  return told;
}

}  // namespace

void tell_rests(const RestListener& listener) {
  const std::lock_guard guard(changing);
  told = listener;
}

// The listener has locks of its own, under which it may call us.
Rest::Rest() {
  const RestListener listener = listener_now();
  if (listener.begins == nullptr) return;
  ends_ = listener.ends;
  rest_ = listener.begins();
}

Rest::~Rest() {
  if (ends_ != nullptr) ends_(rest_);
}

}  // namespace comity::coop
