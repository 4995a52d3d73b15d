// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts, as launchers, kernels and users give them: "n1" and "n1.cluster" may be one host, "n1.a" and "n1.b" are
// two. Not: reading lists of them (hosts.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace comity::place {

// Without its domain; an address is as it is.
[[nodiscard]] std::string short_name(const std::string& host);

// "localhost" and addresses of the loopback: each host has them for itself.
[[nodiscard]] bool is_own_name(const std::string& host);

// Whether both may name the same host: alike, or alike but for the end of the domain, or all of it, that one of them leaves out.
[[nodiscard]] bool may_be_one_host(const std::string& one, const std::string& other);

// Finds hosts among many by any of their names.
class HostNames {
 public:
  explicit HostNames(std::vector<std::string> names);

  // The numbers of those that `name` may be, in their order: of the one that is called so, else of all that may be that host.
  [[nodiscard]] std::vector<std::size_t> find(const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> whole_;
  std::unordered_map<std::string, std::vector<std::size_t>> brief_;
};

}  // namespace comity::place
