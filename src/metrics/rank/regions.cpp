// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/regions.hpp"

namespace comity::metrics {
namespace {

constexpr const char* kOthers = "(others)";

}  // namespace

Region Regions::inside(Region outer, std::string_view name) {
  const std::lock_guard guard(mutex_);
  std::string path = outer == kWholeRun ? std::string(name) : paths_[outer] + '/' + std::string(name);
  if (const auto found = known_.find(path); found != known_.end()) return found->second;
  if (paths_.size() >= kMost) path = kOthers;
  if (const auto found = known_.find(path); found != known_.end()) return found->second;
  const auto region = static_cast<Region>(paths_.size());
  paths_.push_back(path);
  known_.emplace(std::move(path), region);
  return region;
}

std::string Regions::path(Region region) const {
  const std::lock_guard guard(mutex_);
  return paths_.at(region);
}

std::string Regions::name(Region region) const {
  const std::string whole = path(region);
  return whole.substr(whole.rfind('/') + 1);
}

std::size_t Regions::count() const {
  const std::lock_guard guard(mutex_);
  return paths_.size();
}

}  // namespace comity::metrics
