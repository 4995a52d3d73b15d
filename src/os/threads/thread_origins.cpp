// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/thread_origins.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "os/code/loaded_object.hpp"

namespace comity::os {
namespace {

// As the C library describes a field of its records to debuggers (libthread_db).
struct Field {
  std::uint32_t bits;
  std::uint32_t count;
  std::uint32_t offset_bytes;
};

// What pthread_create was given.
struct Start {
  std::uintptr_t routine;
  std::uintptr_t argument;
};

constexpr const char* kId = "_thread_db_pthread_tid";
constexpr const char* kStart = "_thread_db_pthread_start_routine";  // its argument follows

template <typename Value>
std::optional<std::size_t> offset_of(const char* field) noexcept {
  const auto* const found = static_cast<const Field*>(dlsym(RTLD_DEFAULT, field));
  if (found == nullptr || found->bits != 8 * sizeof(Value)) return std::nullopt;
  return found->offset_bytes;
}

// Lies in the thread's record. 0: the thread has ended, or the kernel does not tell.
std::uintptr_t robust_list_of(pid_t thread) noexcept {
  void* list = nullptr;
  std::size_t bytes = 0;
  return ::syscall(SYS_get_robust_list, thread, &list, &bytes) == 0 ? reinterpret_cast<std::uintptr_t>(list) : 0;
}

std::uintptr_t object_of(std::uintptr_t address) noexcept {
  const std::optional<LoadedObject> object = loaded_object_at(address);
  return object ? object->start : 0;
}

std::uintptr_t program_of_process() noexcept { return object_of(getauxval(AT_PHDR)); }

std::uintptr_t object_of_symbol(const char* name) noexcept {
  return object_of(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name)));
}

// Whose threads begin in it, whoever makes them.
bool is_library_of_cpp(const LoadedObject& object) {
  const std::string_view path = object.path;
  return path.substr(path.rfind('/') + 1).starts_with("libstdc++.so");
}

}  // namespace

ThreadOrigins::ThreadOrigins() : layout_(find_layout()) {
  if (!layout_) return;
  try {
    memory_.emplace();
  } catch (const Error&) {
    return;
  }
  program_ = program_of_process();
  const std::uintptr_t first = object_of_symbol("pthread_create");
  if (first != object_of_symbol(kStart)) interceptor_ = first;
}

std::optional<ThreadOrigins::Layout> ThreadOrigins::find_layout() noexcept {
  const std::optional<std::size_t> id = offset_of<pid_t>(kId);
  const std::optional<std::size_t> start = offset_of<std::uintptr_t>(kStart);
  const std::uintptr_t list = robust_list_of(0);
  const auto mine = std::bit_cast<std::uintptr_t>(pthread_self());
  if (!id || !start || list <= mine) return std::nullopt;
  return Layout{list - mine, *id, *start};
}

template <typename Value>
std::optional<Value> ThreadOrigins::read(std::uintptr_t address) const noexcept {
  std::array<Value, 1> value{};
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(value));
  if (memory_->copy(address, bytes) != bytes.size()) return std::nullopt;
  return value[0];
}

// A record that does not have the thread's id is none.
std::optional<std::uintptr_t> ThreadOrigins::of(pid_t thread) const noexcept {
  const std::uintptr_t list = memory_ ? robust_list_of(thread) : 0;
  if (list == 0) return std::nullopt;
  const std::uintptr_t record = list - layout_->robust_list;
  const std::optional<Start> start = read<Start>(record + layout_->start);
  if (!start || read<pid_t>(record + layout_->id) != thread) return std::nullopt;

  std::optional<LoadedObject> object = loaded_object_at(start->routine);
  if (object && is_library_of_cpp(*object)) {  // the argument is an object of a class of its maker's
    const std::optional<std::uintptr_t> methods = read<std::uintptr_t>(start->argument);
    const std::optional<LoadedObject> maker = methods ? loaded_object_at(*methods) : std::nullopt;
    if (maker) object = maker;
  }
  if (!object || object->start == interceptor_) return std::nullopt;
  return object->start;
}

std::optional<std::uintptr_t> ThreadOrigins::owner_of(const char* symbol) noexcept {
  const std::uintptr_t object = object_of_symbol(symbol);
  return object == 0 ? std::nullopt : std::optional(object);
}

bool ThreadOrigins::has_program(const char* symbol) noexcept {
  const std::uintptr_t program = program_of_process();
  return program != 0 && owner_of(symbol) == program;
}

bool ThreadOrigins::is_in_program(pid_t thread) const noexcept { return is_program(of(thread)); }

bool ThreadOrigins::is_program(std::optional<std::uintptr_t> object) const noexcept {
  return program_ != 0 && object == program_;
}

}  // namespace comity::os
