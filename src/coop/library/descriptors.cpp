// SPDX-License-Identifier: BSD-3-Clause
#include "coop/library/descriptors.hpp"

#include <dlfcn.h>

#include <atomic>
#include <span>

#include "coop/watch.hpp"
#include "os/files/poll.hpp"

struct epoll_event;

namespace comity::coop {
namespace {

// The C library's function of a name.
template <typename Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}
  [[nodiscard]] Function get() {
    const Function found = found_.load(std::memory_order_relaxed);
    return found != nullptr ? found : find();
  }
  Function find() {
    const auto found = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name_));
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function> found_{nullptr};
};

constinit Next<int (*)(pollfd*, nfds_t, int)> next_poll("poll");
constinit Next<int (*)(int, epoll_event*, int, int)> next_epoll_wait("epoll_wait");

// Early, for some calls come from handlers of signals.
[[gnu::constructor]] void find_both() {
  (void)next_poll.find();
  (void)next_epoll_wait.find();
}

}  // namespace

int poll_and_note(pollfd* asked, nfds_t count, int timeout_ms);
int poll_and_note(pollfd* asked, nfds_t count, int timeout_ms) {
  const int ready = next_poll.get()(asked, count, timeout_ms);
  if (timeout_ms == 0 && ready >= 0) Watch::note(std::span(asked, count), ready > 0);
  return ready;
}

int epoll_and_note(int set, epoll_event* events, int most, int timeout_ms);
int epoll_and_note(int set, epoll_event* events, int most, int timeout_ms) {
  const int ready = next_epoll_wait.get()(set, events, most, timeout_ms);
  if (timeout_ms == 0 && ready >= 0) Watch::note_set(set, ready > 0);
  return ready;
}

}  // namespace comity::coop

// By names of our own, for headers of the C library may define the others in place.
extern "C" {
[[gnu::visibility("default")]] int comity_poll(pollfd* asked, nfds_t count, int timeout_ms) __asm__("poll");
int comity_poll(pollfd* asked, nfds_t count, int timeout_ms) {
  return comity::coop::poll_and_note(asked, count, timeout_ms);
}

[[gnu::visibility("default")]] int comity_epoll_wait(int set, epoll_event* events, int most,
                                                     int timeout_ms) __asm__("epoll_wait");
int comity_epoll_wait(int set, epoll_event* events, int most, int timeout_ms) {
  return comity::coop::epoll_and_note(set, events, most, timeout_ms);
}
}

namespace comity::coop {

bool sees_descriptors() {
  const auto stands_first = [](const char* name, void* ours) { return ::dlsym(RTLD_DEFAULT, name) == ours; };
  return stands_first("poll", reinterpret_cast<void*>(&comity_poll)) &&
         stands_first("epoll_wait", reinterpret_cast<void*>(&comity_epoll_wait));
}

}  // namespace comity::coop
