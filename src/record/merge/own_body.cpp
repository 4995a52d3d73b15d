// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/own_body.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <vector>

#include "base/error.hpp"

namespace comity::record {
namespace {

RankHeader read_header(const os::Descriptor& file, const std::string& path) {
  std::array<std::byte, sizeof(RankHeader)> bytes{};
  return check_rank_header(path, std::span(bytes).first(os::read_at(file, bytes, 0)));
}

// Chunks one behind the other, handed on when a piece is full.
class Pieces {
 public:
  explicit Pieces(const OwnBody::Take& take) : take_(take), room_(OwnBody::kPiece_bytes), chunks_(room_, 1) {}

  bool append(ChunkType type, std::span<const std::byte> payload) {
    if (chunks_.append(type, payload)) return true;
    hand_on(std::max(OwnBody::kPiece_bytes, chunk_bytes(payload.size())));
    return chunks_.append(type, payload);
  }
  void hand_on(std::size_t next_bytes = OwnBody::kPiece_bytes) {
    if (chunks_.used_bytes() > 0) take_(std::span<const std::byte>(room_).first(chunks_.used_bytes()));
    if (room_.size() != next_bytes) room_ = Bytes(next_bytes);
    chunks_ = ChunkAppender(room_, chunks_.next_sequence());
  }

 private:
  const OwnBody::Take& take_;
  Bytes room_;
  ChunkAppender chunks_;
};

// Samples and spans in blocks, those of each stream in their order. Where very many streams wait for whole blocks they go without.
class Blocks {
 public:
  explicit Blocks(Pieces& into) : into_(into) {}

  void take_fact(const std::string& /*key*/, const std::string& /*value*/) {}
  void take_table(const Table& /*table*/) {}
  void take_stream(const StreamName& /*stream*/) {}
  void take_end(std::int64_t /*ended_ns*/) {}
  void take_entries(StreamId id, std::span<const SampleEntry> entries) { add(samples_, id, entries); }
  void take_entries(StreamId id, std::span<const SpanEntry> entries) { add(spans_, id, entries); }

  void write_all() {
    for (auto& [id, block] : samples_) write(id, block);
    for (auto& [id, block] : spans_) write(id, block);
  }

 private:
  static constexpr std::size_t kMostWaiting = 4096;
  template <typename Entry>
  using OfStreams = std::map<StreamId, std::vector<Entry>>;

  template <typename Entry>
  void add(OfStreams<Entry>& streams, StreamId id, std::span<const Entry> entries) {
    std::vector<Entry>& block = streams[id];
    for (const Entry& entry : entries) {
      block.push_back(entry);
      ++waiting_;
      if (block.size() == kEntriesABlock) write(id, block);
    }
    if (waiting_ >= kMostWaiting) write_all();
  }

  template <typename Entry>
  void write(StreamId id, std::vector<Entry>& block) {
    if (block.empty()) return;
    (void)append_block(id, std::span<const Entry>(block), into_);
    waiting_ -= block.size();
    block.clear();
  }

  Pieces& into_;
  OfStreams<SampleEntry> samples_;
  OfStreams<SpanEntry> spans_;
  std::size_t waiting_ = 0;  // entries
};

RankEnd end_of(const Scan& scan, const Content& content) {
  if (scan.end == ScanEnd::damaged) return RankEnd::damaged;
  return content.ended_ns ? RankEnd::ended : RankEnd::did_not_end;
}

}  // namespace

OwnBody::OwnBody(const os::Folder& folder, const std::string& name) {
  const os::Descriptor file = folder.open(name);
  const RankHeader header = read_header(file, folder.path() + '/' + name);
  open(file, header);
  const Scan scan =
      decode(half(), content_, Parts::all_but_entries, [&](std::size_t read_bytes) { let_go_up_to(read_bytes); });
  holds_bytes_ = scan.stopped_at;
  entry_ = {.rank = header.rank,
            .node = header.node,
            .end = end_of(scan, content_),
            .opened_ns = header.opened_ns,
            .opened_wall_ns = header.opened_wall_ns,
            .body_at = 0,
            .body_bytes = 0};
  summary_ = Summary(header.rank, content_);
}

// What was cut off is not there to be mapped.
void OwnBody::open(const os::Descriptor& file, const RankHeader& header) {
  const std::uint64_t begin = half_offset(header);
  const std::uint64_t there = os::file_facts(file).bytes;
  const std::uint64_t end = std::clamp(there, begin, begin + header.half_bytes);
  try {
    if (end == begin + header.half_bytes) {
      mapping_ = os::Mapping::shared(os::reopen(file), end);
      mapped_ = mapping_.bytes().subspan(begin);
      return;
    }
  } catch (const Error&) {
    // It is read instead.
  }
  copy_.resize(end - begin);
  copy_.resize(os::read_at(file, copy_, begin));
}

void OwnBody::let_go_up_to(std::size_t read_bytes) const noexcept {
  if (!mapped_.empty()) os::Mapping::let_go_of_file_pages(mapped_.first(read_bytes));
}

// All chunks hold: what is thrown is of who takes them.
template <typename Listener>
void OwnBody::tell_timeline(Listener& to) const {
  std::exception_ptr failure;
  const auto visit = [&](const Chunk& chunk) {
    if (!is_of_timeline(chunk.type) || chunk.type == ChunkType::stream) return;
    try {
      record::tell(chunk, to);
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
  };
  (void)scan_chunks(half().first(holds_bytes_), visit, [&](std::size_t read_bytes) { let_go_up_to(read_bytes); });
  if (failure) std::rethrow_exception(failure);
}

void OwnBody::tell(const Take& take) const {
  Pieces pieces(take);
  const auto append = [&](ChunkType type, std::span<const std::byte> payload) { return pieces.append(type, payload); };
  (void)encode_fixed(content_, append);
  for (const auto& [id, series] : content_.series) append(ChunkType::stream, series_payload(id, series.name));
  for (const auto& [id, spans] : content_.spans) append(ChunkType::stream, spans_payload(id, spans.lane, spans.name));
  Blocks blocks(pieces);
  tell_timeline(blocks);
  blocks.write_all();
  if (content_.ended_ns) append(ChunkType::end, end_payload(*content_.ended_ns));
  pieces.hand_on();
}

}  // namespace comity::record
