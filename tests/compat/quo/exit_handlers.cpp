// SPDX-License-Identifier: BSD-3-Clause
#include "exit_handlers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "sanitizer.hpp"

namespace conform {
namespace {

// Asked for before there are constructors, so without memory of its own; what finds no room is not seen.
constexpr std::size_t kMost = 8192;
std::array<std::atomic<const void*>, kMost> owners;  // an address in the object that asked
std::atomic<std::size_t> asked = 0;

[[maybe_unused]] void note(const void* owner) {
  const std::size_t place = asked.fetch_add(1);
  if (place < kMost) owners[place].store(owner);
}

std::string file_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

bool exit_handlers_are_seen() { return !comity::testing::kHasSanitizer; }

std::vector<std::string> owners_of_exit_handlers() {
  std::vector<std::string> files;
  for (std::size_t place = 0; place < std::min(asked.load(), kMost); ++place) {
    files.push_back(file_of(owners[place].load()));
  }
  return files;
}

std::string file_of_libquo() { return file_of(dlsym(RTLD_DEFAULT, "QUO_create")); }

}  // namespace conform

#ifndef COMITY_HAS_SANITIZER
// atexit is a part of each object, and calls this one.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's names
extern "C" __attribute__((visibility("default"))) int __cxa_atexit(void (*handler)(void*), void* argument,
                                                                   void* object) noexcept {
  conform::note(object != nullptr ? object : reinterpret_cast<void*>(handler));
  const auto next = reinterpret_cast<decltype(&__cxa_atexit)>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return next(handler, argument, object);
}

extern "C" __attribute__((visibility("default"))) int on_exit(void (*handler)(int, void*), void* argument) noexcept {
  conform::note(reinterpret_cast<void*>(handler));
  const auto next = reinterpret_cast<decltype(&on_exit)>(dlsym(RTLD_NEXT, "on_exit"));
  return next(handler, argument);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#endif
