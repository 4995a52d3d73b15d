// SPDX-License-Identifier: BSD-3-Clause
#include "memory/mpi_caller.hpp"

#include <atomic>

#include "memory/component.hpp"
#include "os/call_path.hpp"
#include "os/loaded_object.hpp"

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

// A callback's call comes from the program, that from the MPI, and that from our wrapper; a tool's call has no MPI between.
class Search {
 public:
  explicit Search(Where where) : is_decided_(where == Where::outside) {}

  os::Climb visit(std::uintptr_t code) noexcept {
    constexpr int kMostFrames = 64;
    if (++frames_ > kMostFrames) return os::Climb::enough;
    const Owner owner = owner_of(code);
    if (owner == Owner::us) return has_left_us_ && !is_decided_ ? os::Climb::enough : os::Climb::on;
    has_left_us_ = true;
    if (owner == Owner::comity && path_.length == 0) return os::Climb::enough;
    if (owner == Owner::mpi && path_.length > 0) is_decided_ = true;
    if (owner == Owner::program && path_.length < CallPath::kMost) path_.code[path_.length++] = code;
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

}  // namespace

std::optional<CallPath> programs_call(Where where) noexcept {
  Search search(where);
  os::climb_callers([&search](std::uintptr_t code) { return search.visit(code); });
  return search.found();
}

}  // namespace comity::memory
