// SPDX-License-Identifier: BSD-3-Clause
// A thread that begins in a library, as an MPI's own do: one that begins in the program is moved wherever it sleeps.
#pragma once

#include <pthread.h>

#include <functional>
#include <stdexcept>
#include <utility>

extern "C" {
struct comity_test_call {
  void (*run)(void* with);
  void* with;
};
// 0, or an errno. `call` must live as long as the thread.
[[gnu::visibility("default")]] int comity_test_begin_in_library(pthread_t* thread, comity_test_call* call);
}

namespace comity::testing {

class LibraryThread {
 public:
  explicit LibraryThread(std::function<void()> body)
      : body_(std::move(body)), call_{[](void* with) { static_cast<LibraryThread*>(with)->body_(); }, this} {
    if (comity_test_begin_in_library(&thread_, &call_) != 0) throw std::runtime_error("pthread_create");
  }
  ~LibraryThread() { join(); }
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;

  [[nodiscard]] bool joinable() const { return !joined_; }
  void join() {
    if (!std::exchange(joined_, true)) pthread_join(thread_, nullptr);
  }
  [[nodiscard]] pthread_t native_handle() const { return thread_; }

 private:
  std::function<void()> body_;
  comity_test_call call_;
  bool joined_ = false;
  pthread_t thread_{};
};

}  // namespace comity::testing
