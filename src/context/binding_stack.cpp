// SPDX-License-Identifier: BSD-3-Clause
#include "context/binding_stack.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace comity::context {
namespace {

template <typename SavedMasks>  // const or not
auto find(SavedMasks& saved, pid_t id) -> decltype(saved.threads.data()) {
  const auto found = std::find_if(saved.threads.begin(), saved.threads.end(),
                                  [&](const Saved::Thread& thread) { return thread.id == id; });
  return found == saved.threads.end() ? nullptr : &*found;
}

// `above` was pushed over an entry that leaves the stack: it must give back what that entry had found. Threads born
// between the two get the process's binding from before the entry.
void inherit(Saved& above, const Saved& removed) {
  above.process = removed.process;
  for (Saved::Thread& thread : above.threads) {
    const Saved::Thread* const same = find(removed, thread.id);
    thread.mask = same != nullptr ? same->mask : removed.process;
    thread.moved = true;
  }
}

}  // namespace

void BindingStack::push(Owner owner, const CpuSet& mask, Until until, TeamPolicy teams) {
  const std::lock_guard lock(mutex_);
  entries_.reserve(entries_.size() + 1);  // so that nothing can fail once the threads have moved
  Saved before = binder_.move(mask, entries_.empty() ? nullptr : &entries_.back().mask, teams);
  entries_.push_back({owner, mask, until, ++pushes_, std::move(before)});
  notify({});
}

BindingStack::Popped BindingStack::pop(Owner owner) {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) {
    throw Error(Status::order, "pop a binding: the stack of this process is empty; each pop needs a push before it");
  }
  if (entries_.back().owner != owner) {
    throw Error(
        Status::order,
        "pop a binding: the innermost push was made through another context; pop in the reverse order of pushes");
  }
  if (entries_.back().until == Until::leave) {
    throw Error(Status::order,
                "pop a binding: the innermost one is that of the open phase; comity_context_leave ends it");
  }
  const Popped popped = take_top();
  notify(popped.binding);
  return popped;
}

BindingStack::Popped BindingStack::take_top() noexcept {
  const Entry& top = entries_.back();
  Popped popped{top.before.process, binder_.restore(top.before)};
  entries_.pop_back();
  if (!popped.restored.has_main_thread) ask_kernel(popped);
  return popped;
}

void BindingStack::ask_kernel(Popped& popped) noexcept {
  try {
    popped.binding = binder_.binding();
  } catch (...) {
    return;  // what it had before the push is as good a word as any
  }
  adopt(popped.binding);
}

void BindingStack::adopt(const CpuSet& now) {
  if (entries_.empty() || entries_.back().before.given == now) return;
  entries_.back().mask = now;
  entries_.back().before.given = now;
}

Restored BindingStack::remove(Owner owner, int keep) noexcept {
  const std::lock_guard lock(mutex_);
  const auto beyond = [&](std::size_t place) {
    if (entries_[place].owner != owner) return false;
    const auto below = std::count_if(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(place),
                                     [&](const Entry& entry) { return entry.owner == owner; });
    return below >= keep;
  };
  std::optional<Popped> last;  // which reaches every thread that those above it did
  while (!entries_.empty() && beyond(entries_.size() - 1)) last = take_top();
  for (std::size_t i = 0; i + 1 < entries_.size();) {
    if (!beyond(i)) {
      ++i;
      continue;
    }
    give_back_unreached(entries_[i].before, entries_[i + 1].before);
    inherit(entries_[i + 1].before, entries_[i].before);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  notify(last ? std::optional(last->binding) : std::nullopt);
  return last ? last->restored : Restored{};
}

// Threads that were taken for helpers after the entry had moved them: those above it left them where they were.
void BindingStack::give_back_unreached(const Saved& removed, const Saved& above) const noexcept {
  for (const Saved::Thread& thread : removed.threads) {
    if (find(above, thread.id) == nullptr) binder_.give_back(thread);
  }
}

void BindingStack::forget(Owner owner) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.owner == owner; });
}

void BindingStack::keep(Owner owner) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].owner != owner) continue;
    if (i > 0) {
      entries_[i - 1].mask = entries_[i].mask;
      entries_[i - 1].before.given = entries_[i].before.given;
    }
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  notify({});
}

ThreadScope BindingStack::bind_caller(pid_t caller, const CpuSet& mask) {
  const std::lock_guard lock(mutex_);
  return {caller, entries_.empty() ? 0 : entries_.back().number, binder_.move_caller(mask)};
}

void BindingStack::release_caller(const ThreadScope& scope) {
  const std::lock_guard lock(mutex_);
  auto since = entries_.begin();
  if (scope.under != 0) {
    const auto under = std::ranges::find(entries_, scope.under, &Entry::number);
    if (under == entries_.end()) return;
    since = under + 1;
  }
  Saved::Thread* const held = since == entries_.end() ? nullptr : find(since->before, scope.thread);
  if (held != nullptr) {
    *held = {scope.thread, scope.before};
  } else {
    (void)binder_.move_caller(scope.before);  // no push has reached it since
  }
}

int BindingStack::depth(Owner owner) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(
      std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.owner == owner; }));
}

BindingStack::State BindingStack::current() const {
  if (!entries_.empty()) return {entries_.back().mask, entries_.back().mask, entries_.back().before.given};
  const CpuSet binding = binder_.binding();
  return {CpuSet(), binding, binding};
}

BindingStack::State BindingStack::state() const {
  const std::lock_guard lock(mutex_);
  return current();
}

void BindingStack::inspect(const Observer& look) const {
  const std::lock_guard lock(mutex_);
  look(current());
}

void BindingStack::notify(std::optional<CpuSet> binding) const {
  if (!changed_) return;
  if (!entries_.empty()) return changed_(current());
  try {
    if (!binding) binding = binder_.binding();
  } catch (const Error&) {
    return;  // nothing was popped, so nothing has changed
  }
  changed_({CpuSet(), *binding, *binding});
}

void BindingStack::look_anew() {
  const std::lock_guard lock(mutex_);
  const CpuSet now = binder_.binding();
  adopt(now);
  notify(now);
}

std::vector<pid_t> BindingStack::note_helpers() {
  const std::lock_guard lock(mutex_);
  return binder_.note_helpers();
}

}  // namespace comity::context
