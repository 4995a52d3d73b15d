// SPDX-License-Identifier: BSD-3-Clause
#include "askers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "sanitizer.hpp"

namespace conform {
namespace {

// Asked for before there are constructors, so without memory of its own; what finds no room is not seen.
struct Askers {
  static constexpr std::size_t kMost = 8192;
  std::array<std::atomic<const void*>, kMost> addresses{};  // each in the object that asked
  std::atomic<std::size_t> count = 0;

  void note(const void* address) {
    const std::size_t place = count.fetch_add(1);
    if (place < kMost) addresses[place].store(address);
  }
};
constinit Askers of_exit;
constinit Askers of_signals;

// The caller alone would not do: a call that is a function's last is its caller's.
[[maybe_unused]] void note_of_signal(const void* caller, void (*handler)(int)) {
  of_signals.note(caller);
  if (handler != SIG_DFL && handler != SIG_IGN) of_signals.note(reinterpret_cast<const void*>(handler));
}

std::string file_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool is_of_libquo(const std::string& file) {
  static const std::string libquo = file_of(dlsym(RTLD_DEFAULT, "QUO_create"));
  const std::string name = file.substr(file.rfind('/') + 1);
  return file == libquo || name.starts_with("libquo") || name.starts_with("libcomity");
}

}  // namespace

bool askers_are_seen() { return !comity::testing::kHasSanitizer; }

std::vector<std::string> askers_of_libquo(Event event) {
  const Askers& all = event == Event::exit ? of_exit : of_signals;
  std::vector<std::string> files;
  for (std::size_t place = 0; place < std::min(all.count.load(), Askers::kMost); ++place) {
    const std::string file = file_of(all.addresses[place].load());
    if (is_of_libquo(file)) files.push_back(file);
  }
  return files;
}

}  // namespace conform

#ifndef COMITY_HAS_SANITIZER
#define CONFORM_STANDS_BEFORE extern "C" __attribute__((visibility("default")))

// atexit is a part of each object, and calls this one.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's names
CONFORM_STANDS_BEFORE int __cxa_atexit(void (*handler)(void*), void* argument, void* object) noexcept {
  conform::of_exit.note(object != nullptr ? object : reinterpret_cast<void*>(handler));
  const auto next = reinterpret_cast<decltype(&__cxa_atexit)>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return next(handler, argument, object);
}

CONFORM_STANDS_BEFORE int on_exit(void (*handler)(int, void*), void* argument) noexcept {
  conform::of_exit.note(reinterpret_cast<void*>(handler));
  const auto next = reinterpret_cast<decltype(&on_exit)>(dlsym(RTLD_NEXT, "on_exit"));
  return next(handler, argument);
}

CONFORM_STANDS_BEFORE sighandler_t signal(int number, sighandler_t handler) noexcept {
  conform::note_of_signal(__builtin_return_address(0), handler);
  const auto next = reinterpret_cast<decltype(&signal)>(dlsym(RTLD_NEXT, "signal"));
  return next(number, handler);
}

// Who asks only what there is changes nothing.
CONFORM_STANDS_BEFORE int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  if (action != nullptr) conform::note_of_signal(__builtin_return_address(0), action->sa_handler);
  const auto next = reinterpret_cast<decltype(&sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
  return next(number, action, before);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#endif
