// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes are refused as an image, or every query stays inside them.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../machine/every_query.hpp"
#include "base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  comity::machine::Image image(bytes);  // aligned, and exactly as long as the input
  if (bytes > 0) std::memcpy(image.data(), data, bytes);
  try {
    (void)comity::machine::ask_everything(comity::machine::Machine(image));
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  return 0;
}
