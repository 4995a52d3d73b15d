// SPDX-License-Identifier: BSD-3-Clause
#include <comity/cpuset.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "capi/guard.hpp"

namespace comity::capi {

static_assert(COMITY_CPUSET_CAPACITY == CpuSet::kCapacity);

CpuSet cpu_set(const comity_cpuset& set) {
  CpuSet result;
  std::copy(std::begin(set.words), std::end(set.words), result.words().begin());
  return result;
}

comity_cpuset cpu_set(const CpuSet& set) {
  comity_cpuset result;
  std::copy(set.words().begin(), set.words().end(), std::begin(result.words));
  return result;
}

void write_text(std::string_view text, char* buffer, std::size_t capacity_bytes, std::size_t* length_bytes) {
  if (buffer == nullptr && (capacity_bytes > 0 || length_bytes == nullptr)) {
    throw Error(Status::argument,
                "the pointer `text` is null; pass a buffer, or capacity 0 and a length to ask for it");
  }
  if (length_bytes != nullptr) *length_bytes = text.size();
  if (buffer == nullptr) return;
  const bool fits = text.size() < capacity_bytes;
  if (capacity_bytes > 0) {
    const std::size_t copied = fits ? text.size() : 0;
    std::memcpy(buffer, text.data(), copied);
    buffer[copied] = '\0';
  }
  if (!fits) {
    throw Error(Status::range, "the text needs " + std::to_string(text.size() + 1) + " bytes, the buffer has " +
                                   std::to_string(capacity_bytes));
  }
}

}  // namespace comity::capi

using namespace comity;

comity_status comity_cpuset_parse(const char* text, comity_cpuset* set) {
  return capi::guard([&] {
    const std::string_view given = &capi::required(text, "text", "the list or the mask to read");
    const bool hex = given.starts_with("0x") || given.starts_with("0X");
    capi::required(set, "set") = capi::cpu_set(hex ? CpuSet::parse_hex(given) : CpuSet::parse_list(given));
  });
}

comity_status comity_cpuset_string(const comity_cpuset* set, comity_cpuset_form form, char* text, size_t capacity_bytes,
                                   size_t* length_bytes) {
  return capi::guard([&] {
    const CpuSet given = capi::cpu_set(capi::required(set, "set", "the set to write"));
    if (form != COMITY_FORM_LIST && form != COMITY_FORM_HEX) {
      throw Error(Status::argument, "there is no form " + std::to_string(static_cast<int>(form)) +
                                        "; use COMITY_FORM_LIST or COMITY_FORM_HEX");
    }
    capi::write_text(form == COMITY_FORM_HEX ? given.to_hex() : given.to_list(), text, capacity_bytes, length_bytes);
  });
}

comity_status comity_cpuset_count(const comity_cpuset* set, int32_t* count) {
  return capi::guard([&] {
    const CpuSet given = capi::cpu_set(capi::required(set, "set", "the set to count"));
    capi::required(count, "count") = static_cast<int32_t>(given.count());
  });
}
