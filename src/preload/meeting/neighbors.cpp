// SPDX-License-Identifier: BSD-3-Clause
#include "preload/meeting/neighbors.hpp"

#include <string>
#include <unordered_map>

#include "base/hash.hpp"
#include "os/kernel.hpp"

namespace comity::preload {
namespace {

std::vector<std::uint32_t> numbered(const std::vector<std::uint64_t>& values) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(values.size());
  for (const std::uint64_t value : values) {
    numbers.push_back(known.emplace(value, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> nodes_of(const MpiExchange& exchange) {
  Hash hash;
  hash.add(os::boot_id());
  return numbered(exchange.all_of(hash.value()));
}

// Where the kernel does not say which boot this is, a rank takes its clock for one of its own: that costs round trips alone.
std::vector<std::uint32_t> clocks_of(const MpiExchange& exchange) {
  const std::string boot = os::boot_id();
  Hash hash;
  hash.add(boot);
  hash.add(boot.empty() ? os::random_number() : os::namespace_id("time"));
  return numbered(exchange.all_of(hash.value()));
}

}  // namespace comity::preload
