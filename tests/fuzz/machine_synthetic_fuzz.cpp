// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a synthetic machine, or the machine that it describes answers every query.
#include <cstddef>
#include <cstdint>
#include <string>

#include "../machine/every_query.hpp"
#include "base/error.hpp"
#include "machine/loader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  try {
    const comity::machine::Image image = comity::machine::load_synthetic(text);
    (void)comity::machine::ask_everything(comity::machine::Machine(image));
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  return 0;
}
