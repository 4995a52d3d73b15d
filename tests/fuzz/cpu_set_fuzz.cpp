// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a CPU set, or what it says survives both written forms.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace {

template <typename Parse>
void read_and_write(std::string_view text, Parse&& parse) {
  try {
    const comity::CpuSet set = parse(text);
    if (comity::CpuSet::parse_list(set.to_list()) != set) std::abort();
    if (comity::CpuSet::parse_hex(set.to_hex()) != set) std::abort();
  } catch (const comity::Error&) {
    return;  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  read_and_write(text, comity::CpuSet::parse_list);
  read_and_write(text, comity::CpuSet::parse_hex);
  return 0;
}
