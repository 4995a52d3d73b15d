// SPDX-License-Identifier: BSD-3-Clause
#include "os/host_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <memory>

namespace comity::os {
namespace {

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* number = nullptr;
  if (address.sa_family == AF_INET) number = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.sa_family == AF_INET6) number = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (number == nullptr || ::inet_ntop(address.sa_family, number, text.data(), text.size()) == nullptr) return {};
  return text.data();
}

}  // namespace

std::vector<std::string> host_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    if (std::string text = text_of(*one->ifa_addr); !text.empty()) addresses.push_back(std::move(text));
  }
  return addresses;
}

}  // namespace comity::os
