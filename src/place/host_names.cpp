// SPDX-License-Identifier: BSD-3-Clause
#include "place/host_names.hpp"

#include <algorithm>
#include <utility>

namespace comity::place {

std::string short_name(const std::string& host) {
  const bool is_address =
      host.find_first_not_of("0123456789.") == std::string::npos || host.find(':') != std::string::npos;
  return is_address ? host : host.substr(0, host.find('.'));
}

bool is_own_name(const std::string& host) { return short_name(host) == "localhost" || host.starts_with("127."); }

bool may_be_one_host(const std::string& one, const std::string& other) {
  const auto& [brief, whole] =
      std::minmax(one, other, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (brief.size() == whole.size()) return brief == whole;
  return short_name(brief) == short_name(whole) && whole.starts_with(brief) && whole[brief.size()] == '.';
}

HostNames::HostNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    whole_.emplace(names_[i], i);
    brief_[short_name(names_[i])].push_back(i);
  }
}

std::vector<std::size_t> HostNames::find(const std::string& name) const {
  if (const auto at = whole_.find(name); at != whole_.end()) return {at->second};
  std::vector<std::size_t> found;
  const auto alike = brief_.find(short_name(name));
  if (alike == brief_.end()) return found;
  for (const std::size_t i : alike->second) {
    if (may_be_one_host(names_[i], name)) found.push_back(i);
  }
  return found;
}

}  // namespace comity::place
