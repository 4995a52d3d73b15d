// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/gnu_spin.hpp"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

namespace comity::os {
namespace {

// Where OMP_WAIT_POLICY and GOMP_SPINCOUNT are unset, since GCC 4.7; on x86 processors with two kinds of cores GCC 13's looks once
// anyway. How the two lie is the compiler's choice: side by side in Debian's GCC 12, a word apart in Red Hat's.
constexpr std::uint64_t kUsual = 300'000;
constexpr std::uint64_t kCrowded = 100;
constexpr std::size_t kNear_words = 8;

using Words = std::span<std::uint64_t>;

// Other threads may be about to change theirs.
std::uint64_t load(std::uint64_t& variable) { return std::atomic_ref(variable).load(std::memory_order_relaxed); }

// None also where there are several.
std::optional<std::size_t> place_of_the_only(std::uint64_t value, Words variables) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (load(variables[i]) != value) continue;
    if (place) return std::nullopt;
    place = i;
  }
  return place;
}

struct Search {
  std::uintptr_t function;
  std::vector<Words> variables;  // of the object that has it
};

bool holds(const dl_phdr_info& object, std::uintptr_t address) {
  return std::ranges::any_of(std::span(object.dlpi_phdr, object.dlpi_phnum), [&](const ElfW(Phdr) & segment) {
    const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz;
  });
}

// The linker has closed what is below it for writing.
std::uintptr_t end_of_closed_part(const dl_phdr_info& object) {
  std::uintptr_t end = 0;
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type == PT_GNU_RELRO) end = object.dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  return end;
}

Words whole_words(std::uintptr_t start, std::uintptr_t end) {
  constexpr std::uintptr_t kWord_bytes = sizeof(std::uint64_t);
  start = (start + kWord_bytes - 1) / kWord_bytes * kWord_bytes;
  if (end < start + kWord_bytes) return {};
  return {reinterpret_cast<std::uint64_t*>(start), (end - start) / kWord_bytes};
}

// Tools that rename a library's dependencies give it a further segment.
std::vector<Words> variables_of(const dl_phdr_info& object) {
  std::vector<Words> all;
  const std::uintptr_t closed = end_of_closed_part(object);
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    all.push_back(whole_words(std::max(start, closed), start + segment.p_memsz));
  }
  return all;
}

int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*object, search.function)) return 0;
  search.variables = variables_of(*object);
  return 1;
}

// As gomp's wait does between two looks.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

std::optional<GnuSpinPlaces> places_of_gnu_spin(Words variables) {
  if (const auto told = place_of_the_only(GnuSpin::kTold, variables)) return GnuSpinPlaces{*told, std::nullopt};
  const auto usual = place_of_the_only(kUsual, variables);
  if (!usual) return std::nullopt;
  const std::size_t first = *usual - std::min(*usual, kNear_words);
  const std::size_t end = std::min(*usual + kNear_words + 1, variables.size());
  const auto crowded = place_of_the_only(kCrowded, variables.subspan(first, end - first));
  return crowded ? std::optional(GnuSpinPlaces{*usual, first + *crowded}) : std::nullopt;
}

std::optional<GnuSpin> GnuSpin::of_runtime_at(std::uintptr_t function) {
  Search search{function, {}};
  ::dl_iterate_phdr(look_into, &search);
  std::optional<GnuSpin> found;
  for (const Words variables : search.variables) {
    const auto places = places_of_gnu_spin(variables);
    if (!places) continue;
    if (found) return std::nullopt;
    found = GnuSpin(&variables[places->usual], places->crowded ? &variables[*places->crowded] : nullptr);
  }
  return found;
}

void GnuSpin::stop() const {
  std::atomic_ref(*usual_).store(0, std::memory_order_relaxed);
  if (crowded_ != nullptr) std::atomic_ref(*crowded_).store(0, std::memory_order_relaxed);
}

void GnuSpin::look(std::uint64_t times) const { std::atomic_ref(*usual_).store(times, std::memory_order_relaxed); }

std::uint64_t GnuSpin::looks_in(Nanoseconds time) {
  constexpr int kLooks = 100;
  constexpr int kTries = 5;  // one may be interrupted
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  const std::atomic<int> word{0};
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t start_ns = now_ns();
    for (int look = 0; look < kLooks && word.load(std::memory_order_relaxed) == 0; ++look) relax();
    least_ns = std::min(least_ns, now_ns() - start_ns);
  }
  return static_cast<std::uint64_t>(time.count()) * kLooks /
         static_cast<std::uint64_t>(std::max<std::int64_t>(least_ns, 1));
}

}  // namespace comity::os
