// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes are refused as the index of a run, or every part of it can be asked and is written as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "record/format/header.hpp"
#include "record/run/run_index.hpp"

namespace {

using namespace comity::record;

void expect(bool holds) {
  if (!holds) std::abort();
}

Bytes encoded(const RunIndex& index) {
  ByteWriter bytes;
  index.encode(bytes);
  return bytes.take();
}

void ask(const Summary& summary) {
  for (const std::string& name : summary.table_names()) {
    for (const TableSummary* const table : summary.tables(name)) {
      for (const auto& [key, row] : table->rows) {
        for (const ColumnName& column : table->columns) {
          if (column.kind != ColumnKind::text) (void)table->at(key, column.name);
        }
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  constexpr std::uint64_t kBodiesEnd = 1U << 20U;
  const Bytes input(reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + bytes);
  try {
    (void)check_run_header("input", input, bytes);
  } catch (const comity::Error&) {
    // refused; nearly always
  }
  try {
    ByteReader from(input);
    RunIndex index = RunIndex::decode(from, kBodiesEnd);
    for (const RankEntry& entry : index.ranks) expect(entry.body_at + entry.body_bytes <= kBodiesEnd);
    const Bytes again = encoded(index);
    ByteReader from_again(again);
    expect(encoded(RunIndex::decode(from_again, kBodiesEnd)) == again);
    ask(index.all);
    for (const auto& [node, summary] : index.nodes) {
      ask(summary);
      index.all.merge(summary);
    }
    ask(index.all);
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  return 0;
}
