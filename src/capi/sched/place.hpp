// SPDX-License-Identifier: BSD-3-Clause
// Objects of the substrate in the memory of callers: the types of the public headers that have a `place`. Those that must be
// begun have a word before them that tells whether they were; the others are objects of zeros, which is how they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "capi/sched/guard.hpp"

namespace comity::capi::sched {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_unbegun(const char* parameter) {
  throw Error(Status::handle, std::string("`") + parameter +
                                  "` was not begun, or has been ended, or was copied from another place; begin it");
}

// A T that begins as zeros, in a C object that does.
template <typename T, typename C>
T& in_zeros(C* object, const char* parameter) {
  static_assert(sizeof(T) <= sizeof(C) && alignof(T) <= alignof(C));
  return *std::launder(reinterpret_cast<T*>(required(object, parameter).place));
}
template <typename T, typename C>
const T& in_zeros(const C* object, const char* parameter) {
  return in_zeros<T>(const_cast<C*>(object), parameter);
}

// A T that is begun and ended. The first word of the place holds `Mark` meanwhile.
template <typename T, std::uint64_t Mark>
class Begun {
 public:
  template <typename C, typename... Arguments>
  static T& begin(C* object, const char* parameter, Arguments&&... arguments) {
    static_assert(sizeof(std::uint64_t) + alignof(T) - 1 + sizeof(T) <= sizeof(C));
    C& place = required(object, parameter);
    T* const made = new (inside(place)) T(std::forward<Arguments>(arguments)...);
    place.place[0] = Mark;
    return *made;
  }

  template <typename C>
  static T& at(C* object, const char* parameter) {
    C& place = required(object, parameter);
    if (place.place[0] != Mark) [[unlikely]]
      refuse_unbegun(parameter);
    return *std::launder(static_cast<T*>(inside(place)));
  }

  template <typename C>
  static void end(C* object, T& ended) {  // which at() has found there
    object->place[0] = 0;
    std::destroy_at(&ended);
  }

 private:
  template <typename C>
  static void* inside(C& place) {
    const auto first = reinterpret_cast<std::uintptr_t>(&place.place[1]);
    return reinterpret_cast<void*>((first + alignof(T) - 1) / alignof(T) * alignof(T));
  }
};

}  // namespace comity::capi::sched
