// SPDX-License-Identifier: BSD-3-Clause
#include "preload/regions/phases.hpp"

#include <string_view>

namespace comity::preload {
namespace {

constinit Phases phases_of_this_process;

}  // namespace

Phases& phases() noexcept { return phases_of_this_process; }

memory::PhaseNumber Phases::number_of(const char* text) noexcept {
  Text wanted;
  std::string_view(text).copy(wanted.letters.data(), kLongest_bytes);
  for (std::size_t i = 0; i < text_count_; ++i) {
    if (texts_[i].letters == wanted.letters) return static_cast<memory::PhaseNumber>(i + 1);
  }
  if (text_count_ == kMostTexts) return kOthers;
  texts_[text_count_++] = wanted;
  return static_cast<memory::PhaseNumber>(text_count_);
}

void Phases::tell_innermost() noexcept {
  current_.store(depth_ == 0 ? memory::PhaseNumber{0} : open_[depth_ - 1].phase, std::memory_order_relaxed);
}

void Phases::begin(const void* context, const char* text) noexcept {
  const std::lock_guard lock(mutex_);
  if (depth_ == kDeepest) {
    ++beyond_;
    return;
  }
  open_[depth_++] = {context, number_of(text)};
  tell_innermost();
}

void Phases::end(const void* context) noexcept {
  const std::lock_guard lock(mutex_);
  if (beyond_ > 0) {
    --beyond_;
    return;
  }
  for (std::size_t i = depth_; i > 0; --i) {
    if (open_[i - 1].context != context) continue;
    for (; i < depth_; ++i) open_[i - 1] = open_[i];
    --depth_;
    return tell_innermost();
  }
}

std::string Phases::text(memory::PhaseNumber phase) const {
  const std::lock_guard lock(mutex_);
  if (phase == 0) return {};
  return phase <= text_count_ ? texts_[phase - std::size_t{1}].letters.data() : "(another phase)";
}

}  // namespace comity::preload
