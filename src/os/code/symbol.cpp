// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/symbol.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace comity::os {

std::string hexadecimal(std::uintptr_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%zx", static_cast<std::size_t>(number));
  return text.data();
}

namespace {

std::string distance(const void* address, const void* base) {
  return hexadecimal(reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base));
}

}  // namespace

void* find_symbol(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

std::string describe_address(const void* address) {
  Dl_info found{};
  if (::dladdr(address, &found) == 0 || found.dli_fname == nullptr) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(address));
  }
  const std::string_view file(found.dli_fname);
  std::string text(file.substr(file.rfind('/') + 1));
  text += '+' + distance(address, found.dli_fbase);
  if (found.dli_sname != nullptr) {
    text += std::string(" (") + found.dli_sname + '+' + distance(address, found.dli_saddr) + ')';
  }
  return text;
}

}  // namespace comity::os
