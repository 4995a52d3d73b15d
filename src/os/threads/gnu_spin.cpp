// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/gnu_spin.hpp"

#include <link.h>

#include <algorithm>
#include <atomic>

namespace comity::os {
namespace {

// Where OMP_WAIT_POLICY and GOMP_SPINCOUNT are unset, since GCC 4.7; on x86 processors with two kinds of cores GCC 13's looks once
// anyway. Which of the two stands first is the compiler's choice.
constexpr std::uint64_t kUsual = 300'000;
constexpr std::uint64_t kCrowded = 100;  // where its threads outnumber the CPUs of its process

// Other threads may be about to change theirs.
std::uint64_t read(std::uint64_t& variable) { return std::atomic_ref(variable).load(std::memory_order_relaxed); }

bool are_counts(std::uint64_t first, std::uint64_t second) {
  return (first == kUsual && second == kCrowded) || (first == kCrowded && second == kUsual);
}

struct Search {
  std::uintptr_t function;
  std::span<std::uint64_t> variables;
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

std::span<std::uint64_t> whole_words(std::uintptr_t start, std::uintptr_t end) {
  constexpr std::uintptr_t kWord = sizeof(std::uint64_t);
  start = (start + kWord - 1) / kWord * kWord;
  if (end < start + kWord) return {};
  return {reinterpret_cast<std::uint64_t*>(start), (end - start) / kWord};
}

std::span<std::uint64_t> variables_of(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    return whole_words(std::max(start, end_of_closed_part(object)), start + segment.p_memsz);
  }
  return {};
}

int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*object, search.function)) return 0;
  search.variables = variables_of(*object);
  return 1;
}

}  // namespace

std::optional<std::size_t> place_of_gnu_spin(std::span<std::uint64_t> variables) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i + 1 < variables.size(); ++i) {
    if (!are_counts(read(variables[i]), read(variables[i + 1]))) continue;
    if (place) return std::nullopt;
    place = i;
  }
  return place;
}

std::optional<GnuSpin> GnuSpin::of_runtime_at(std::uintptr_t function) {
  Search search{function, {}};
  ::dl_iterate_phdr(look_into, &search);
  const std::optional<std::size_t> place = place_of_gnu_spin(search.variables);
  return place ? std::optional(GnuSpin(&search.variables[*place])) : std::nullopt;
}

void GnuSpin::stop() const {
  for (std::uint64_t& count : std::span(counts_, 2)) std::atomic_ref(count).store(0, std::memory_order_relaxed);
}

}  // namespace comity::os
