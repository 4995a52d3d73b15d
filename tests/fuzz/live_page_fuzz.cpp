// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes are refused as a live page, or read as one whose texts a terminal can show and a JSON text can
// hold, and whose rows are no more than there can be.
//
// The first byte chooses: the bytes as they are, or as what stands behind a good header, for a fuzzer cannot guess that.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "live/page_reader.hpp"

namespace {

using namespace comity::live;
using Bytes = std::vector<std::byte>;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_showable(const std::string& text) {
  expect(std::none_of(text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; }));
  (void)nlohmann::json(text).dump();  // throws where it is no UTF-8
  expect(comity::visible(text) == text);
}

// The header of a page of that size, some words of which the input says.
Bytes behind_a_good_header(std::span<const std::byte> input) {
  Bytes copy(sizeof(Header) + input.size());
  Header header{};
  std::memcpy(&header, input.data(), std::min(input.size(), sizeof header));
  const auto rows = static_cast<std::uint32_t>(std::min<std::size_t>(input.size() / sizeof(Row), kRows));
  header.magic = kMagic;
  header.version = kVersion;
  header.byte_order = kByteOrder;
  header.header_bytes = sizeof(Header);
  header.row_bytes = sizeof(Row);
  if (header.rows_at % 2 == 0) {
    header.rows_at = sizeof(Header);
    header.rows = rows;
  }
  if (header.names_at % 2 == 0) {
    header.names_at = sizeof(Header);
    header.names_bytes = static_cast<std::uint32_t>(input.size());
  }
  std::memcpy(copy.data(), &header, sizeof header);
  std::memcpy(copy.data() + sizeof header, input.data(), input.size());
  return copy;
}

void read(const Bytes& copy) {
  try {
    const PageView view = read_page(copy);
    expect(view.threads.size() <= kRows);
    expect(view.ranks >= 1);
    expect_showable(view.host);
    expect_showable(view.mpi);
    for (const ThreadView& thread : view.threads) {
      expect(thread.thread != 0 && thread.since_ns >= 0);
      expect(!thread.function.empty() || thread.since_ns == 0);
      expect(thread.region.size() <= kRegion_bytes);
      expect_showable(thread.function);
      expect_showable(thread.region);
    }
  } catch (const comity::Error&) {
    return;  // told
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const auto input = std::as_bytes(std::span(data + 1, bytes - 1));
  read(data[0] % 2 == 0 ? Bytes(input.begin(), input.end()) : behind_a_good_header(input));
  return 0;
}
