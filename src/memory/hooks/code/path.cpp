// SPDX-License-Identifier: BSD-3-Clause
// Path: whose code asked for memory, and who called that, up to a few functions: all but those of the C and C++ runtimes, of
// Comity, and those inside MPI between the one that asked and the one that the program called. Each block is unwound
// from anew, which takes a microsecond or two: paths are told on demand.
#include <unwind.h>

#include "memory/hooks/code/caller.hpp"

namespace comity::memory::hooks {
namespace {

constexpr std::size_t kLongestPath = 6;
constexpr int kMostFrames = 96;

class Path {
 public:
  explicit Path(std::uintptr_t from) : from_(from) {}

  // False: that was enough. The first ones are our own.
  [[nodiscard]] bool pass(std::uintptr_t code) noexcept {
    if (++frames_ > kMostFrames || code == 0) return false;
    if (!is_there_ && code != from_) return true;
    is_there_ = true;
    const std::optional<Owner> owner = owner_at(code);
    return owner ? add(*owner) : true;
  }

  // None: nobody outside the runtimes was met.
  [[nodiscard]] std::optional<Owner> owner() const noexcept {
    if (length_ == 0) return std::nullopt;
    SiteNumber site = sites_[length_ - 1];
    for (std::size_t i = length_ - 1; i-- > 0;) site = sites.called_by(sites_[i], site);
    return Sites::owner_at(site);
  }

 private:
  [[nodiscard]] bool add(Owner owner) noexcept {
    const Component component = owner.component();
    if (length_ == 0) {
      take(owner.site());
      return component != Component::comity;
    }
    if (component == Component::comity) return true;
    if (comes_with_mpi(component)) {
      entry_ = owner.site();
      return true;
    }
    if (entry_ != kNoCaller) take(entry_);
    entry_ = kNoCaller;
    take(owner.site());
    return length_ < kLongestPath;
  }

  void take(SiteNumber site) noexcept {
    if (length_ < kLongestPath) sites_[length_++] = site;
  }

  std::uintptr_t from_;
  bool is_there_ = false;
  int frames_ = 0;
  SiteNumber entry_ = kNoCaller;                  // into MPI, as far as it was followed
  std::array<SiteNumber, kLongestPath> sites_{};  // innermost first
  std::size_t length_ = 0;
};

_Unwind_Reason_Code climb_one(_Unwind_Context* context, void* path) {
  return static_cast<Path*>(path)->pass(_Unwind_GetIP(context)) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

Owner owner_with_callers(CallSite site) noexcept {
  Path path(site.code);
  (void)_Unwind_Backtrace(&climb_one, &path);
  const std::optional<Owner> owner = path.owner();
  return owner ? *owner : search_owner(site);
}

}  // namespace comity::memory::hooks
