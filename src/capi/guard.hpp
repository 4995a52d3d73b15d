// SPDX-License-Identifier: BSD-3-Clause
// The one place where exceptions become codes.
#pragma once

#include <comity/comity.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/c_call.hpp"
#include "base/cpu_set.hpp"
#include "base/error.hpp"
#include "machine/object_type.hpp"

namespace comity::capi {

void remember_error(std::string_view sentence) noexcept;  // what comity_last_error() returns to this thread

template <typename Call>
comity_status guard(Call&& call) noexcept {
  try {
    call();
    return COMITY_OK;
  } catch (const std::exception&) {
    return static_cast<comity_status>(status_in_handler(remember_error));
  }
}

// The pointer's target; throws Status::argument naming the parameter and what to pass there.
template <typename T>
T& required(T* pointer, const char* parameter, const char* what) {
  if (pointer == nullptr) refuse_null(parameter, what);
  return *pointer;
}

template <typename T>
T& required(T* result, const char* parameter) {
  static_assert(!std::is_const_v<T>, "nothing is written there: say what to pass");
  return required(result, parameter, "where the result goes");
}

[[nodiscard]] machine::ObjectType object_type(comity_type type);  // throws Status::argument
[[nodiscard]] CpuSet cpu_set(const comity_cpuset& set);
[[nodiscard]] comity_cpuset cpu_set(const CpuSet& set);
// Indices into a caller's array: all or none of them; the count in any case.
void write_list(std::span<const int> found, std::int32_t* list, std::int32_t capacity, std::int32_t* count,
                const char* what);
void write_text(std::string_view text, char* buffer, std::size_t capacity_bytes, std::size_t* length_bytes);

}  // namespace comity::capi
