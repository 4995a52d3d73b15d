// SPDX-License-Identifier: BSD-3-Clause
// Stops in a fiber that has been switched to several times, for a debugger to look.
#include <comity/sched.hpp>
#include <csignal>

namespace {

[[gnu::noinline]] void stop_here() { (void)std::raise(SIGTRAP); }

}  // namespace

int main() {
  comity::sched::Harts harts;
  harts.run([] {
    comity::sched::Fiber fiber(
        [] {
          comity::sched::yield();
          stop_here();
        },
        "looked at");
    fiber.join();
  });
  return 0;
}
