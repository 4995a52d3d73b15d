// SPDX-License-Identifier: BSD-3-Clause
// Writes first inputs for the two fuzzers of records: a small record, as a file, as chunks, as an index, as a whole run.
//   record_seeds RANK-SEEDS RUN-SEEDS
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>

#include "record/format/content.hpp"
#include "record/format/header.hpp"
#include "record/merge/names.hpp"
#include "record/run/run_file.hpp"
#include "record/run/run_reader.hpp"

namespace {

using namespace comity::record;

Content small_content() {
  Content content;
  content.facts = {{"program", "x"}, {"clock_offset_begin_ns", "5"}, {"clock_offset_begin_at_ns", "1"}};
  Table table("calls", {{"function", ColumnKind::text}, {"count", ColumnKind::integer}, {"wait_s", ColumnKind::real}});
  table.add_row({"MPI_Send", std::int64_t{3}, 0.5});
  content.tables.insert_or_assign("calls", table);
  content.series[0] = {.name = "s", .entries = {sample_entry(1, 2), sample_entry(5, 3)}};
  content.spans[1] = {.lane = "main", .name = "r", .entries = {span_entry(1, 2), span_entry(2, 9)}};
  content.ended_ns = 9;
  return content;
}

// The same samples as they are written one by one.
Bytes single_chunks() {
  Bytes room(1024);
  ChunkAppender chunks(room, 1);
  const SamplePayload sample{.id = 0, .reserved = 0, .time_ns = 5, .value = 1};
  const SpanPayload span{.id = 1, .reserved = 0, .begin_ns = 5, .end_ns = 6};
  const bool fits = chunks.append(ChunkType::stream, series_payload(0, "s")) &&
                    chunks.append(ChunkType::stream, spans_payload(1, "main", "r")) &&
                    chunks.append(ChunkType::sample, std::as_bytes(std::span(&sample, 1))) &&
                    chunks.append(ChunkType::span, std::as_bytes(std::span(&span, 1)));
  room.resize(fits ? chunks.used_bytes() : 0);
  return room;
}

Bytes small_file() {
  const Bytes chunks = encode(small_content());
  RankHeader header{};
  header.magic = kRankMagic;
  header.version = kVersion;
  header.byte_order = kByteOrder;
  header.header_bytes = sizeof(header);
  header.ranks = 1;
  header.half_bytes = chunks.size();
  header.checksum = checksum_of(header);
  Bytes file(sizeof(header));
  std::memcpy(file.data(), &header, sizeof(header));
  file.insert(file.end(), chunks.begin(), chunks.end());
  return file;
}

Bytes small_index() {
  RunIndex index;
  index.job = "job";
  index.job_ranks = 2;
  index.ranks = {{.rank = 0, .body_at = sizeof(RunHeader), .body_bytes = 100}};
  index.nodes[0] = Summary(0, small_content());
  index.all = index.nodes[0];
  index.notes = {"rank 1: made no record"};
  ByteWriter bytes;
  index.encode(bytes);
  return bytes.take();
}

// By the writer of merged files; it is read once, so that the fuzzer begins with one that is accepted.
void write_run(const std::filesystem::path& path) {
  const Bytes body = encode(small_content());
  const comity::os::Folder folder(path.string());
  RunFile file(folder, kRunFile, "job");
  file.take_rank({.rank = 0, .body_bytes = body.size()}, body);
  file.take_node(0, Summary(0, small_content()));
  file.take_note("rank 1: made no record");
  file.finish(2);
  (void)RunReader(path.string()).rank(0);
}

void write(const std::filesystem::path& path, const char* first, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << first;
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::filesystem::filesystem_error("write", path, std::error_code());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: record_seeds RANK-SEEDS RUN-SEEDS\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path ranks = argv[1];
    const std::filesystem::path runs = argv[2];
    for (const auto& folder : {ranks, runs}) {
      std::filesystem::remove_all(folder);  // what an earlier run of the fuzzer added may be of another version
      std::filesystem::create_directories(folder);
    }
    write(ranks / "file", "0", small_file());  // '0', '1', '2' choose as 0, 1, 2 do: 48 is a multiple of 3
    write(ranks / "chunks", "1", encode(small_content()));
    write(ranks / "checked", "2", encode(small_content()));
    write(ranks / "single", "2", single_chunks());
    write(runs / "index", "", small_index());
    write(runs / "body", "", encode(small_content()));
    write_run(runs);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
