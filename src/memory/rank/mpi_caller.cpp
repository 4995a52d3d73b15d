// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/mpi_caller.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "memory/component.hpp"
#include "os/code/call_path.hpp"
#include "os/code/loaded_object.hpp"

namespace comity::memory {
namespace {

enum class Owner : std::uint8_t { unknown, us, comity, mpi, runtime, program };

Owner by_rule(const char* path) noexcept {
  static constexpr Components kBuiltIn;  // users' rules give names to parts, and do not change what is MPI
  const Component component = kBuiltIn.of_object(path);
  if (component == Component::comity) return Owner::comity;
  if (comes_with_mpi(component)) return Owner::mpi;
  if (component == Component::libc || component == Component::allocator) return Owner::runtime;
  return Owner::program;
}

// By where an object is mapped, which leaves the bits of a page for its owner. One that comes where another was is taken for that.
class KnownOwners {
 public:
  [[nodiscard]] Owner of(const os::LoadedObject& object) noexcept {
    std::atomic<std::uintptr_t>& place = places_[(object.start >> kPageBits) % places_.size()];
    const std::uintptr_t known = place.load(std::memory_order_relaxed);
    if (known >> kPageBits == object.start >> kPageBits) return static_cast<Owner>(known & kPageMask);
    const Owner owner = by_rule(object.path);
    place.store((object.start & ~kPageMask) | static_cast<std::uintptr_t>(owner), std::memory_order_relaxed);
    return owner;
  }

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uintptr_t kPageMask = (std::uintptr_t{1} << kPageBits) - 1;

  std::array<std::atomic<std::uintptr_t>, 251> places_{};  // a prime: objects lie at multiples of pages
};
constinit KnownOwners known_owners;

bool is_ours(const os::LoadedObject& object) noexcept {
  static const std::uintptr_t ours =
      os::loaded_object_at(reinterpret_cast<std::uintptr_t>(&by_rule)).value_or(os::LoadedObject{0, ""}).start;
  return object.start == ours;
}

Owner owner_of(std::uintptr_t code) noexcept {
  const std::optional<os::LoadedObject> object = os::loaded_object_at(code);
  if (!object) return Owner::program;  // written while it runs
  return is_ours(*object) ? Owner::us : known_owners.of(*object);
}

// The way that a search has gone, and what it has found. Another call from the same place of the same stack has come the same way where
// each return address on it still stands there: then nobody has to unwind, which takes microseconds.
class Way {
 public:
  void begin(std::uintptr_t stack, Where where) noexcept {
    stack_ = stack;
    where_ = where;
    length_ = 0;
  }
  // Steps below where it begins are those of the search itself. One that cannot be looked at again makes it useless.
  void add(const os::Caller& step) noexcept {
    if (step.place != 0 && step.place < stack_ - sizeof(std::uintptr_t)) return;
    if (length_ >= kMost || step.place == 0) {
      length_ = kMost + 1;
    } else {
      places_[length_] = step.place;
      returns_to_[length_++] = step.returns_to;
    }
  }
  void end(const std::optional<CallPath>& found) noexcept { found_ = found; }

  [[nodiscard]] bool is_known() const noexcept { return length_ > 0 && length_ <= kMost; }
  // From the innermost one on: where one stands the next one's place is part of the stack.
  [[nodiscard]] bool is_that_from(std::uintptr_t stack, Where where) const noexcept {
    if (!is_known() || stack_ != stack || where_ != where) return false;
    for (std::size_t i = 0; i < length_; ++i) {
      const auto* const place =
          reinterpret_cast<const std::uintptr_t*>(places_[i]);  // NOLINT(performance-no-int-to-ptr)
      if (*place != returns_to_[i]) return false;
    }
    return true;
  }
  [[nodiscard]] const std::optional<CallPath>& found() const noexcept { return found_; }

 private:
  static constexpr std::size_t kMost = 20;

  std::uintptr_t stack_ = 0;
  Where where_ = Where::outside;
  std::size_t length_ = 0;
  std::array<std::uintptr_t, kMost> places_{};
  std::array<std::uintptr_t, kMost> returns_to_{};
  std::optional<CallPath> found_;
};

// A callback's call comes from the program, that from the MPI, and that from our wrapper; a tool's call has no MPI between.
class Search {
 public:
  explicit Search(Where where) : is_decided_(where == Where::outside) {}

  os::Climb visit(const os::Caller& caller) noexcept {
    constexpr int kMostFrames = 64;
    if (++frames_ > kMostFrames) return os::Climb::enough;
    const Owner owner = owner_of(caller.code);
    if (owner == Owner::us) return has_left_us_ && !is_decided_ ? os::Climb::enough : os::Climb::on;
    has_left_us_ = true;
    if (owner == Owner::comity && path_.length == 0) return os::Climb::enough;
    if (owner == Owner::mpi && path_.length > 0) is_decided_ = true;
    if (owner == Owner::program && path_.length < CallPath::kMost) path_.code[path_.length++] = caller.code;
    return is_decided_ && path_.length == CallPath::kMost ? os::Climb::enough : os::Climb::on;
  }

  [[nodiscard]] std::optional<CallPath> found() const {
    return is_decided_ && path_.length > 0 ? std::optional(path_) : std::nullopt;
  }

 private:
  CallPath path_;
  int frames_ = 0;
  bool has_left_us_ = false;
  bool is_decided_;  // that it is the program's, if there is a path
};

// Those of late, of all threads.
class RecentWays {
 public:
  // What the one that begins there has found. False: it is not known, or another thread is here.
  [[nodiscard]] bool find(std::uintptr_t stack, Where where, std::optional<CallPath>& found) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    const Ways& ways = of(stack);
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.is_that_from(stack, where); });
    if (known == ways.end()) return false;
    found = known->found();
    return true;
  }
  void keep(std::uintptr_t stack, const Way& way) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock && way.is_known()) of(stack)[next_++ % kOfOneStack] = way;
  }

 private:
  static constexpr std::size_t kOfOneStack = 4;  // places in the program that call from as deep
  static constexpr std::size_t kStacks = 61;
  using Ways = std::array<Way, kOfOneStack>;

  Ways& of(std::uintptr_t stack) noexcept { return ways_[stack / 16 % kStacks]; }

  std::mutex mutex_;
  std::size_t next_ = 0;
  std::array<Ways, kStacks> ways_{};
};
constinit RecentWays recent_ways;

}  // namespace

[[gnu::noinline]] std::optional<CallPath> programs_call(Where where) noexcept {
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  std::optional<CallPath> found;
  if (recent_ways.find(stack, where, found)) return found;
  Search search(where);
  Way way;
  way.begin(stack, where);
  os::climb_callers([&](const os::Caller& caller) {
    way.add(caller);
    return search.visit(caller);
  });
  found = search.found();
  way.end(found);
  recent_ways.keep(stack, way);
  return found;
}

CallPath path_at(std::uintptr_t code) noexcept {
  CallPath path;
  if (code != 0 && owner_of(code) == Owner::program) path.code[path.length++] = code;
  return path;
}

}  // namespace comity::memory
