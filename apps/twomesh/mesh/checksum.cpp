// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/checksum.hpp"

namespace twomesh {

std::string to_hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t place = 0; place < digits.size(); ++place) {
    digits[digits.size() - 1 - place] = "0123456789abcdef"[value >> (4 * place) & 15U];
  }
  return digits;
}

}  // namespace twomesh
