// SPDX-License-Identifier: BSD-3-Clause
#include "sched/waiting/deadlock.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <unordered_map>

#include "os/code/symbol.hpp"
#include "sched/waiter.hpp"
#include "sched/waiting/circles.hpp"

namespace comity::sched {
namespace {

constexpr std::size_t kMostNamed = 200;

std::string name_of(const Fiber& fiber) {
  const std::string number = "fiber " + std::to_string(fiber.number);
  return fiber.name[0] != '\0' ? number + " (" + fiber.name.data() + ')' : number;
}

const char* word_of(WaitFor kind) {
  switch (kind) {
    case WaitFor::mutex:
      return "the mutex";
    case WaitFor::condition:
      return "the condition";
    case WaitFor::semaphore:
      return "the semaphore";
    case WaitFor::barrier:
      return "the barrier";
    case WaitFor::event:
      return "the future";
    case WaitFor::channel_value:
      return "a value of the channel";
    case WaitFor::channel_room:
      return "room in the channel";
    case WaitFor::word:
      return "the full/empty word";
    case WaitFor::fiber:
      return "the end of";
    case WaitFor::group:
      return "the tasks of the group";
    case WaitFor::team:
      return "the members of the team";
    case WaitFor::scheduler:
      return "the fibers of the scheduler";
    case WaitFor::named:
      break;  // only it knows
  }
  return "something";
}

std::string address_text(const void* address) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

// "the mutex 0x7ffc2bb0eea8, which fiber 2 (right) has"; `other`: who alone could end the wait, if there is one.
std::string what_of(const Waiter& waiter, const Fiber* other) {
  if (waiter.kind() == WaitFor::named) {
    const auto& name = *static_cast<const NamedWait*>(waiter.what());
    return std::string(name.words) + ' ' + address_text(name.object);
  }
  const std::string word = word_of(waiter.kind()) + std::string(" ");
  if (waiter.kind() == WaitFor::fiber) {
    return word + (other != nullptr ? name_of(*other) : "a fiber that is none of these");
  }
  std::string what = word + address_text(waiter.what());
  if (other != nullptr) what += ", which " + name_of(*other) + " has";
  if (waiter.kind() == WaitFor::mutex && other == nullptr)
    what += ", which none of these has: who locked it has ended, is no fiber, or waits for a scheduler to end";
  return what;
}

std::string line_of(const Fiber& fiber, const Fibers& waiting) {
  const Waiter& waiter = *fiber.waiting.load(std::memory_order_relaxed);
  return "  " + name_of(fiber) + " waits for " + what_of(waiter, waited_for(fiber, waiting)) + ", at " +
         os::describe_address(waiter.where()) + '\n';
}

// Those that wait for one another alone: followed from each fiber, a circle is found once.
std::string circles_of(const std::vector<const Fiber*>& fibers, const Fibers& waiting) {
  std::string text;
  std::unordered_map<const Fiber*, std::size_t> walk_of;  // in which walk it was met
  for (std::size_t walk = 0; walk < fibers.size(); ++walk) {
    const Fiber* at = fibers[walk];
    while (at != nullptr && walk_of.try_emplace(at, walk).second) at = waited_for(*at, waiting);
    if (at == nullptr || walk_of[at] != walk) continue;
    std::size_t length = 0;
    std::string circle;
    const Fiber* const first = at;
    do {
      if (length++ < kMostNamed) circle += name_of(*at) + " -> ";
      at = waited_for(*at, waiting);
    } while (at != first);
    text += "  a circle of " + std::to_string(length) + ": " + circle + (length > kMostNamed ? "... -> " : "") +
            name_of(*first) + '\n';
  }
  return text;
}

}  // namespace

bool could_be_in_circle(const Waiter& waiter) {
  return waiter.kind() == WaitFor::mutex || waiter.kind() == WaitFor::fiber || waiter.kind() == WaitFor::scheduler;
}

std::vector<const Fiber*> caught_in_circles(const std::vector<const Fiber*>& fibers,
                                            const std::function<bool()>& goes_on) {
  Circles circles;
  for (auto next = fibers.begin(); next != fibers.end() && goes_on(); ++next) circles.add(**next);
  for (auto next = fibers.begin(); next != fibers.end() && goes_on(); ++next) circles.look_at_wait_of(**next);
  while (goes_on() && circles.leave_one_out()) {
  }
  std::vector<const Fiber*> caught;
  std::copy_if(fibers.begin(), fibers.end(), std::back_inserter(caught),
               [&](const Fiber* fiber) { return circles.has(*fiber); });
  return caught;
}

std::string describe_deadlock(const std::vector<const Fiber*>& fibers, Deadlocked whom) {
  const Fibers waiting(fibers.begin(), fibers.end());
  std::vector<const Fiber*> in_order = fibers;
  std::sort(in_order.begin(), in_order.end(),
            [](const Fiber* left, const Fiber* right) { return left->number < right->number; });
  std::string text = "comity: error: [sched] deadlock: " + std::to_string(fibers.size()) +
                     (fibers.size() == 1 ? " fiber waits" : " fibers wait") +
                     (whom == Deadlocked::all ? ", and nothing is left that could wake any of them"
                                              : " for one another, and no other thread could wake any of them") +
                     " (pid " + std::to_string(::getpid()) + ")\n";
  for (std::size_t i = 0; i < std::min(in_order.size(), kMostNamed); ++i) text += line_of(*in_order[i], waiting);
  if (in_order.size() > kMostNamed) text += "  ... and " + std::to_string(in_order.size() - kMostNamed) + " more\n";
  return text + circles_of(in_order, waiting);
}

}  // namespace comity::sched
