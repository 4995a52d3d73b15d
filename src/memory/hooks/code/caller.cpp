// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/code/caller.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <array>

#include "os/kernel.hpp"

namespace comity::memory::hooks {
namespace {

using Kind = CodeTable::Kind;

constexpr int kMostFrames = 48;  // the linker's own recursion among them

constinit Components all_rules;

// The linker has no name for the main program, and rules may have one.
constexpr std::size_t kMostPath_bytes = 4096;
constinit std::array<char, kMostPath_bytes> program_path{};
constinit std::size_t program_path_bytes = 0;

Component component_of(std::string_view path) {
  return all_rules.of_object(path.empty() ? std::string_view(program_path.data(), program_path_bytes) : path);
}

bool asks_for_others(Component component) { return component == Component::libc || component == Component::allocator; }

// A function of the runtimes is remembered as fixed where its stack pointer is, at this return address, always as far
// from its caller's. Compilers that let it vary keep the frame's address in a register, and the frame ends two words
// above what that holds.
#if defined(__x86_64__)
constexpr int kFrameRegister = 6;  // rbp, as DWARF counts
constexpr bool kReturnAddressIsOnStack = true;
#else
constexpr int kFrameRegister = 29;
constexpr bool kReturnAddressIsOnStack = false;  // then every call from a runtime takes the unwinder
#endif
constexpr std::uintptr_t kAboveFrameRegister_bytes = 2 * sizeof(std::uintptr_t);

struct Frame {
  std::uintptr_t code = 0;
  std::uintptr_t stack = 0;
  std::uintptr_t frame_register = 0;
};

CodeTable::Known runtimes_frame(const Frame& frame, std::uintptr_t callers_stack) {
  const std::uintptr_t height = callers_stack - frame.stack;
  const bool varies = callers_stack == frame.frame_register + kAboveFrameRegister_bytes;
  const bool told = kReturnAddressIsOnStack && !varies && height % sizeof(std::uintptr_t) == 0 &&
                    height / sizeof(std::uintptr_t) <= CodeTable::kMostValue;
  if (!told) return {Kind::variable, 0};
  return {Kind::fixed, static_cast<std::uint16_t>(height / sizeof(std::uintptr_t))};
}

Owner remembered(std::uintptr_t code, const CodePlace& place) {
  const SiteNumber site = sites.number_of(place, code);
  known_code.insert(code, {Kind::owner, site});
  return {place.component, site};
}

// Goes up from where the call came from to the first frame of an owner.
struct Climb {
  CallSite from;
  bool is_there = false;  // past our own frames
  Frame last;             // of a runtime
  int frames = 0;
  Owner found = unnumbered_owner(Component::libc);
};

_Unwind_Reason_Code climb_one(_Unwind_Context* context, void* data) {
  auto& climb = *static_cast<Climb*>(data);
  if (++climb.frames > kMostFrames) return _URC_END_OF_STACK;
  const Frame frame{_Unwind_GetIP(context), _Unwind_GetCFA(context), _Unwind_GetGR(context, kFrameRegister)};
  if (!climb.is_there && frame.code != climb.from.code) return _URC_NO_REASON;
  if (climb.is_there) known_code.insert(climb.last.code, runtimes_frame(climb.last, frame.stack));
  climb.is_there = true;
  if (frame.code == 0) return _URC_END_OF_STACK;
  const CodePlace place = place_at(frame.code);
  if (asks_for_others(place.component)) {
    climb.last = frame;
    return _URC_NO_REASON;
  }
  climb.found = remembered(frame.code, place);
  return _URC_END_OF_STACK;
}

Owner climb_from(CallSite site) {
  const CodePlace nearest = place_at(site.code);
  if (!asks_for_others(nearest.component)) return remembered(site.code, nearest);  // most calls: no need to unwind
  Climb climb;
  climb.from = site;
  (void)_Unwind_Backtrace(&climb_one, &climb);
  return climb.found;
}

std::uintptr_t word_below(std::uintptr_t stack) {
  return *(reinterpret_cast<const std::uintptr_t*>(stack) - 1);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

constinit CodeTable known_code;
constinit std::atomic<bool> paths_are_told{false};

void CodeTable::insert(std::uintptr_t code, Known known) noexcept {
  const std::uint64_t word =
      static_cast<std::uint64_t>(code) << kKnownBits | static_cast<std::uint64_t>(known.kind) << 14U | known.value;
  const std::size_t own = own_place(code);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    std::atomic<std::uint64_t>& place = words_[(own + i) % kPlaces];
    std::uint64_t there = place.load(std::memory_order_relaxed);
    if (there >> kKnownBits == code) return place.store(word, std::memory_order_release);
    if (there == 0 && place.compare_exchange_strong(there, word, std::memory_order_release)) return;
  }
}

void CodeTable::clear() noexcept {
  for (std::atomic<std::uint64_t>& word : words_) word.store(0, std::memory_order_relaxed);
}

void take_rules(const Components& rules) noexcept {
  all_rules = rules;
  program_path_bytes = os::read_program_path(program_path);
  known_code.clear();
}

const Components& rules() noexcept { return all_rules; }

// The linker's own index takes no lock and allocates nothing; where it has none its list is asked.
CodePlace place_at(std::uintptr_t code) noexcept {
  void* const address = reinterpret_cast<void*>(code);  // NOLINT(performance-no-int-to-ptr)
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object object{};
  if (::_dl_find_object(address, &object) != 0 || object.dlfo_link_map == nullptr)
    return {{}, code, Component::application};
  const std::string_view path = object.dlfo_link_map->l_name;
  return {path, code - object.dlfo_link_map->l_addr, component_of(path)};
#else
  Dl_info object{};
  if (::dladdr(address, &object) == 0 || object.dli_fname == nullptr) return {{}, code, Component::application};
  const std::string_view path = object.dli_fname;
  return {path, code - reinterpret_cast<std::uintptr_t>(object.dli_fbase), component_of(path)};
#endif
}

Component component_at(std::uintptr_t code) noexcept { return place_at(code).component; }

std::optional<Owner> owner_at(std::uintptr_t code) noexcept {
  const CodeTable::Known known = known_code.find(code);
  if (known.kind == Kind::owner) return Sites::owner_at(known.value);
  if (known.kind != Kind::unknown) return std::nullopt;
  const CodePlace place = place_at(code);
  if (!asks_for_others(place.component)) return remembered(code, place);
  known_code.insert(code, {Kind::variable, 0});
  return std::nullopt;
}

Owner search_owner(CallSite site) noexcept {
  CallSite at = site;
  for (int i = 0; i < kMostFrames; ++i) {
    const CodeTable::Known known = known_code.find(at.code);
    if (known.kind == Kind::owner) return Sites::owner_at(known.value);
    if (known.kind != Kind::fixed) break;
    at.stack += known.value * sizeof(std::uintptr_t);
    at.code = word_below(at.stack);
  }
  return climb_from(site);
}

void forget_code() noexcept { known_code.clear(); }

}  // namespace comity::memory::hooks
