// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes are refused as the index of a run, or every part of it can be asked and is written as the same. Of
// a run without an index whatever is found in them can be asked. Bytes that begin as a merged file does are read as one, by the
// reader that programs use: as they are, and with their checksums set right, for a fuzzer cannot guess those.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "record/format/crc32c.hpp"
#include "record/format/header.hpp"
#include "record/run/body_start.hpp"
#include "record/run/run_index.hpp"
#include "record/run/run_reader.hpp"
#include "record/run/salvage.hpp"

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

// As what a file holds behind its header: as it is, and as the start of a body with what then follows.
void salvage_from(const Bytes& input) {
  RankEntry entry;
  entry.body_at = sizeof(RunHeader);
  Bytes file(sizeof(RunHeader));
  const Bytes start = body_start(entry, "job", input.size());
  for (const Bytes& part : {start, input}) file.insert(file.end(), part.begin(), part.end());
  for (const std::size_t hidden : {std::size_t{0}, start.size()}) {  // of the start
    const auto read = [&](std::span<std::byte> into, std::uint64_t offset) {
      std::size_t got = 0;
      for (; got < into.size() && offset + got < file.size(); ++got) into[got] = file[offset + got];
      return got;
    };
    std::fill_n(file.begin() + sizeof(RunHeader), hidden, std::byte{0});
    const RunIndex index = salvage(read, file.size());
    if (hidden == 0) expect(index.ranks.size() >= 1 && index.ranks[0] == entry && index.all.ranks() >= 1);
    for (std::size_t i = 1; i < index.ranks.size(); ++i) expect(index.ranks[i - 1].rank < index.ranks[i].rank);
    ask(index.all);
  }
}

struct OwnFolder {
  OwnFolder() { expect(::mkdtemp(path.data()) != nullptr); }
  ~OwnFolder() { std::filesystem::remove_all(path); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  std::string path = (std::filesystem::temp_directory_path() / "comity-fuzz-XXXXXX").string();
};

// A new file each time: some file systems wait for the disk where one is emptied and written again.
const std::string& file_of(const Bytes& bytes) {
  static const OwnFolder own;
  static const std::string path = own.path + "/run.comity";
  std::filesystem::remove(path);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  expect(file.good());
  return path;
}

bool begins_as_a_run(const Bytes& input) { return !input.empty() && input[0] == std::byte{kRunMagic & 0xFFU}; }

Bytes with_right_checksums(Bytes file) {
  RunHeader header{};
  if (file.size() < sizeof(header)) return file;
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.index_at <= file.size() && header.index_bytes <= file.size() - header.index_at) {
    header.index_checksum = crc32c(std::span<const std::byte>(file).subspan(header.index_at, header.index_bytes));
  }
  header.checksum = checksum_of(header);
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

void ask(const RunReader& run) {
  expect(run.missing_ranks() <= run.job_ranks());
  for (const RankEntry& entry : run.ranks()) {
    expect(run.has_rank(entry.rank));
    expect(run.body_bytes(entry).size() <= entry.body_bytes);
    const RankBody body = run.rank(entry.rank);
    expect(body.entry == entry);
    (void)body.clock().on_rank_0(body.content.ended_ns.value_or(0));
  }
  ask(run.all());
}

void read_as_a_file(const Bytes& bytes) {
  const std::string& path = file_of(bytes);
  for (const WithoutIndex without_index : {WithoutIndex::refuse, WithoutIndex::salvage}) {
    try {
      ask(RunReader(path, without_index));
    } catch (const comity::Error&) {
      continue;  // refused
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  constexpr std::uint64_t kBodiesEnd = 1U << 20U;
  const Bytes input(reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + bytes);
  if (begins_as_a_run(input)) {
    read_as_a_file(input);
    read_as_a_file(with_right_checksums(input));
    return 0;
  }
  salvage_from(input);
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
