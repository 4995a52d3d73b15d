// SPDX-License-Identifier: BSD-3-Clause
// Source: the System V ABI's chapters on program loading and dynamic linking; elf(5), dl_iterate_phdr(3).
#include "memory/hooks/calls.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <span>
#include <string_view>

#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/next.hpp"
#include "os/kernel.hpp"
#include "os/memory/mappings.hpp"

namespace comity::memory::hooks {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kOfCalls = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kOfAddresses = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint32_t kOfCalls = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kOfAddresses = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kOfCalls = UINT32_MAX;  // nobody's calls are seen
constexpr std::uint32_t kOfAddresses = UINT32_MAX;
#endif

using Header = ElfW(Phdr);
using Relocation = ElfW(Rela);

// A loaded object, as far as its calls of others go.
struct Object {
  std::uintptr_t base = 0;
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  std::uintptr_t protected_start = 0;  // what the linker has made read-only behind itself
  std::uintptr_t protected_end = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const Relocation> of_calls;
  std::span<const Relocation> of_data;

  [[nodiscard]] bool holds(std::uintptr_t address) const { return address >= start && address < end; }
  // What stands in a slot that the linker has not come to yet: nothing, or an address of this object as its file has it.
  [[nodiscard]] bool is_as_in_file(std::uintptr_t address) const {
    return !holds(address) && (address == 0 || holds(base + address));
  }
  [[nodiscard]] bool protects(std::uintptr_t address) const {
    return address >= protected_start && address < protected_end;
  }
};

const Relocation* relocations_at(std::uintptr_t address) {
  return reinterpret_cast<const Relocation*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// The linker has made addresses of most offsets in there, but not of those of the kernel's own object.
void read_dynamic(const ElfW(Dyn) * entry, Object& object) {
  std::uintptr_t calls = 0;
  std::uintptr_t data = 0;
  std::size_t calls_bytes = 0;
  std::size_t data_bytes = 0;
  const auto absolute = [&](std::uintptr_t address) { return address < object.base ? object.base + address : address; };
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) object.symbols = reinterpret_cast<const ElfW(Sym)*>(absolute(value));  // NOLINT
    if (entry->d_tag == DT_STRTAB) object.names = reinterpret_cast<const char*>(absolute(value));         // NOLINT
    if (entry->d_tag == DT_JMPREL) calls = absolute(value);
    if (entry->d_tag == DT_PLTRELSZ) calls_bytes = value;
    if (entry->d_tag == DT_RELA) data = absolute(value);
    if (entry->d_tag == DT_RELASZ) data_bytes = value;
  }
  if (calls != 0) object.of_calls = {relocations_at(calls), calls_bytes / sizeof(Relocation)};
  if (data != 0) object.of_data = {relocations_at(data), data_bytes / sizeof(Relocation)};
}

Object read_object(const dl_phdr_info& info) {
  Object object;
  object.base = info.dlpi_addr;
  object.start = UINTPTR_MAX;
  const Header* dynamic = nullptr;
  for (const Header& part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const std::uintptr_t start = object.base + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) dynamic = &part;
    if (part.p_type == PT_LOAD) {
      object.start = start < object.start ? start : object.start;
      object.end = start + part.p_memsz > object.end ? start + part.p_memsz : object.end;
    }
    if (part.p_type == PT_GNU_RELRO) {
      object.protected_start = start;
      object.protected_end = (start + part.p_memsz) / os::page_bytes() * os::page_bytes();  // as the linker does
    }
  }
  if (dynamic != nullptr) {
    const std::uintptr_t at = object.base + dynamic->p_vaddr;
    read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(at), object);  // NOLINT(performance-no-int-to-ptr)
  }
  return object;
}

std::size_t row_of(const char* name) {
  for (std::size_t row = 0; row < kCalls; ++row) {
    if (std::strcmp(kCallNames[row], name) == 0) return row;
  }
  return kCalls;
}

// A slot that no call has gone through yet holds an address of its own object, and one that somebody else stands in is
// left to him if he is not the one whom we call. False: the linker has not come to it yet; of a function that need not be
// there nobody can tell.
bool take_slot(const Object& object, std::size_t row, std::uintptr_t* slot, bool may_be_absent) {
  const std::uintptr_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  const auto ours = reinterpret_cast<std::uintptr_t>(our_function(static_cast<Call>(row)));
  if (there == ours) return true;
  if (object.is_as_in_file(there)) return there == 0 && may_be_absent;
  const bool is_unbound = object.holds(there);
  std::atomic<void*>& next_one = following[row];
  if (!is_unbound && next_one.load(std::memory_order_relaxed) != reinterpret_cast<void*>(there)) return true;  // NOLINT
  (void)os::store_word(slot, ours, object.protects(reinterpret_cast<std::uintptr_t>(slot)));
  return true;
}

bool take_slots(const Object& object, std::span<const Relocation> relocations) {
  bool all_are_filled = true;
  for (const Relocation& one : relocations) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(one.r_info));
    if (type != kOfCalls && type != kOfAddresses) continue;
    const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(one.r_info)];
    if (symbol.st_shndx != SHN_UNDEF) continue;  // its own function of that name, which may stand before the system's
    const std::size_t row = row_of(object.names + symbol.st_name);
    if (row == kCalls) continue;
    auto* const slot =
        reinterpret_cast<std::uintptr_t*>(object.base + one.r_offset);  // NOLINT(performance-no-int-to-ptr)
    const bool may_be_absent = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
    if (!take_slot(object, row, slot, may_be_absent)) all_are_filled = false;
  }
  return all_are_filled;
}

// Objects that were looked at, by where their headers stand.
class Seen {
 public:
  constexpr Seen() = default;
  // Also where there is no room for more.
  [[nodiscard]] bool has(std::uintptr_t key) const {
    const std::uintptr_t there = keys_[place_of(key)];
    return there != 0;
  }
  void insert(std::uintptr_t key) { keys_[place_of(key)] = key; }
  void clear() { keys_.fill(0); }

 private:
  static constexpr std::size_t kPlaces = 2048;

  // Where it is, or would be.
  [[nodiscard]] std::size_t place_of(std::uintptr_t key) const {
    std::size_t place = key / 64 % kPlaces;
    for (std::size_t i = 1; i < kPlaces && keys_[place] != key && keys_[place] != 0; ++i) place = (place + 1) % kPlaces;
    return place;
  }

  std::array<std::uintptr_t, kPlaces> keys_{};
};

// How many objects ever came and went, as the linker counts.
struct Traffic {
  unsigned long long came = 0;
  unsigned long long went = 0;
};

int read_traffic(dl_phdr_info* info, std::size_t /*bytes*/, void* into) {
  *static_cast<Traffic*>(into) = {info->dlpi_adds, info->dlpi_subs};
  return 1;
}

Traffic traffic() {
  Traffic now;
  (void)::dl_iterate_phdr(&read_traffic, &now);
  return now;
}

constinit Seen seen;
constinit Traffic looked_at;
constinit std::atomic<bool> has_unfilled{false};  // slots of objects that came while it was looked
constinit std::atomic<unsigned long long> known_to_have_gone{0};
constinit std::atomic<bool> seen_have_gone{false};  // others may stand where they were
constinit std::atomic<int> at_work{0};  // the process one of whose threads changes tables: in a fork child nobody does

// Of those whose mappings are nobody's memory but malloc's, and of ours.
bool is_left_alone(const dl_phdr_info& info, const Object& object) {
  const Component component = rules().of_object(info.dlpi_name == nullptr ? "" : info.dlpi_name);
  if (component == Component::comity || component == Component::libc || component == Component::allocator) return true;
  return object.holds(reinterpret_cast<std::uintptr_t>(next.malloc));
}

int look_at(dl_phdr_info* info, std::size_t /*bytes*/, void* /*data*/) {
  const auto key = reinterpret_cast<std::uintptr_t>(info->dlpi_phdr);
  if (seen.has(key)) return 0;
  const Object object = read_object(*info);
  bool is_filled = true;
  if (object.symbols != nullptr && object.names != nullptr && !is_left_alone(*info, object)) {
    is_filled = take_slots(object, object.of_calls);
    is_filled = take_slots(object, object.of_data) && is_filled;
  }
  if (is_filled) {
    seen.insert(key);
  } else {
    has_unfilled.store(true, std::memory_order_relaxed);
  }
  return 0;
}

// The one that callers' tables lead to: that of whoever is preloaded before us, if there is one, who calls the next one himself.
void find_next_ones() {
  for (std::size_t row = 0; row < kCalls; ++row) {
    if (following[row].load(std::memory_order_relaxed) != nullptr) continue;
    following[row].store(::dlsym(RTLD_DEFAULT, kCallNames[row]), std::memory_order_release);
  }
}

}  // namespace

constinit std::array<std::atomic<void*>, kCalls> following{};

// One thread of the process at a time; the others have their objects looked at by it, or by whoever asks next.
template <typename Step>
void alone(Step&& step) {
  const int me = os::process_id();
  int who = at_work.load(std::memory_order_relaxed);
  if (who == me || !at_work.compare_exchange_strong(who, me, std::memory_order_acquire)) return;
  step();
  at_work.store(0, std::memory_order_release);
}

void stand_before_calls() noexcept {
  if (!next_is_known()) return;
  alone([] {
    const bool some_have_gone = seen_have_gone.exchange(false, std::memory_order_acquire);
    if (some_have_gone) seen.clear();
    const Traffic now = traffic();
    const bool looks_again = has_unfilled.exchange(false, std::memory_order_relaxed) || some_have_gone;
    if (!looks_again && now.came == looked_at.came && now.went == looked_at.went) return;
    looked_at = now;
    find_next_ones();
    (void)::dl_iterate_phdr(&look_at, nullptr);
  });
}

// All are looked at again, by whoever looks next: those that stayed have our functions in their slots, and keep them.
void forget_objects() noexcept {
  const unsigned long long gone = traffic().went;
  if (known_to_have_gone.exchange(gone, std::memory_order_relaxed) == gone) return;
  forget_code();
  seen_have_gone.store(true, std::memory_order_release);
}

}  // namespace comity::memory::hooks
