// SPDX-License-Identifier: BSD-3-Clause
#include "record/writer.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "record/format/condense.hpp"
#include "record/merge/names.hpp"

namespace comity::record {
namespace {

constexpr std::size_t kMostUnwritten_bytes = 4096;                // of samples and spans, where the file is not mapped
constexpr std::size_t kMostKept_bytes = std::size_t{256} << 10U;  // in the process, where it is mapped
constexpr char kBetweenNames = '\0';

std::uint64_t checked(std::uint64_t budget_bytes) {
  if (budget_bytes >= kLeastBudget_bytes && budget_bytes <= kMostBudget_bytes) return budget_bytes;
  throw Error(Status::range, "record with a budget of " + std::to_string(budget_bytes) + " bytes a rank: it may be " +
                                 std::to_string(kLeastBudget_bytes) + " to " + std::to_string(kMostBudget_bytes));
}

template <typename Payload>
std::span<const std::byte> bytes_of(const Payload& payload) {
  return std::as_bytes(std::span(&payload, 1));
}

}  // namespace

Writer::Writer(const os::Folder& folder, const Identity& who, std::uint64_t budget_bytes)
    : path_(folder.path() + '/' + rank_file_name(who.rank)),
      file_(folder, rank_file_name(who.rank), who, checked(budget_bytes)),
      chunks_(file_.half(0), 1) {}

// A child's copy of the mutex may be held by a thread that the child does not have: it is asked for the fork first.
template <typename Step>
bool Writer::guarded(Step&& step) noexcept {
  if (file_.lost_by_fork()) return false;
  const std::lock_guard lock(mutex_);
  if (state_ != State::recording) return false;
  try {
    return step();
  } catch (const std::exception& error) {
    stop(error.what());
  }
  return false;
}

void Writer::stop(const char* why) noexcept {
  state_ = State::failed;
  try {
    log::warning("record", "recording stops: " + std::string(why) + "; " + path_ + " keeps what was recorded before");
  } catch (const std::exception&) {
    // Not even memory for the line.
  }
}

bool Writer::is_recording() const noexcept {
  if (file_.lost_by_fork()) return false;
  const std::lock_guard lock(mutex_);
  return state_ == State::recording;
}

std::uint64_t Writer::generations() const noexcept {
  const std::lock_guard lock(mutex_);
  return generation_;
}

// --- facts and tables ---

std::size_t Writer::room_bytes(const std::map<std::string, std::size_t>& sizes) const {
  constexpr std::size_t kMostForFacts_bytes = 1024;
  const std::size_t share = file_.half_bytes() / 2;
  return &sizes == &facts_ ? share : share - std::min(kMostForFacts_bytes, share / 16);
}

bool Writer::accept_fixed(std::map<std::string, std::size_t>& sizes, const std::string& name, std::size_t bytes) {
  const auto found = sizes.find(name);
  const std::size_t before = found == sizes.end() ? 0 : found->second;
  if (fixed_bytes_ - before + bytes > room_bytes(sizes)) return false;
  sizes[name] = bytes;
  fixed_bytes_ = fixed_bytes_ - before + bytes;
  return true;
}

// The fact itself is small, and beyond the share of facts.
void Writer::tell_incomplete() {
  const std::string words = incomplete_.words();
  append(ChunkType::fact, fact_payload(kIncompleteFact, words));
  settle(0);
}

// Said once a rank; what else finds no room the record tells.
void Writer::refuse(const std::string& what) {
  if (!std::exchange(said_incomplete_, true)) {
    log::warning("record", what + " does not fit into " + path_ + "; record with a larger budget");
  }
  if (incomplete_.refuse(what)) tell_incomplete();
}

void Writer::accept(const std::string& what) {
  if (incomplete_.accept(what)) tell_incomplete();
}

bool Writer::set_fact(std::string_view its_key, std::string_view value) noexcept {
  return guarded([&] {
    const std::string key(its_key);
    const Bytes payload = fact_payload(key, value);
    if (!accept_fixed(facts_, key, chunk_bytes(payload.size()))) {
      refuse(the_fact(key));
      return false;
    }
    append(ChunkType::fact, payload);
    settle(0);
    accept(the_fact(key));
    return true;
  });
}

bool Writer::put_table(const Table& table) noexcept {
  return guarded([&] {
    const Bytes payload = table_payload(table);
    if (!accept_fixed(tables_, table.name(), chunk_bytes(payload.size()))) {
      refuse(the_table(table.name()));
      return false;
    }
    append(ChunkType::table, payload);
    settle(0);
    accept(the_table(table.name()));
    return true;
  });
}

// --- series and spans ---

StreamId Writer::declare(std::map<std::string, StreamId>& known, const std::string& key, const StreamName& stream) {
  const Bytes payload = stream_payload(stream);
  const std::size_t least_bytes = chunk_bytes(payload.size()) + least_timeline_bytes();
  if (stream_bytes_ + least_bytes > file_.half_bytes() / 4) {
    refuse(the_stream(key.substr(0, key.find(kBetweenNames))));
    return SeriesRef{}.id;
  }
  known[key] = stream.id;
  append(ChunkType::stream, payload);
  stream_bytes_ += least_bytes;
  settle(0);
  return stream.id;
}

SeriesRef Writer::series(std::string_view its_name) noexcept {
  SeriesRef found;
  guarded([&] {
    const std::string name(its_name);
    const auto known = series_.find(name);
    const auto next = static_cast<StreamId>(series_.size() + spans_.size());
    found.id = known != series_.end()
                   ? known->second
                   : declare(series_, name, {.id = next, .kind = StreamKind::series, .lane = {}, .name = name});
    return true;
  });
  return found;
}

SpansRef Writer::spans(std::string_view lane, std::string_view name) noexcept {
  SpansRef found;
  guarded([&] {
    const std::string key = std::string(lane).append(1, kBetweenNames).append(name);
    const auto known = spans_.find(key);
    const auto next = static_cast<StreamId>(series_.size() + spans_.size());
    found.id =
        known != spans_.end()
            ? known->second
            : declare(spans_, key,
                      {.id = next, .kind = StreamKind::spans, .lane = std::string(lane), .name = std::string(name)});
    return true;
  });
  return found;
}

void Writer::sample(SeriesRef series, std::int64_t time_ns, double value) noexcept {
  if (series.id == SeriesRef{}.id) return;
  guarded([&] {
    const SamplePayload payload{.id = series.id, .reserved = 0, .time_ns = time_ns, .value = value};
    append(ChunkType::sample, bytes_of(payload));
    settle(kMostUnwritten_bytes);
    return true;
  });
}

void Writer::span(SpansRef spans, std::int64_t begin_ns, std::int64_t end_ns) noexcept {
  if (spans.id == SpansRef{}.id) return;
  guarded([&] {
    const SpanPayload payload{.id = spans.id, .reserved = 0, .begin_ns = begin_ns, .end_ns = end_ns};
    append(ChunkType::span, bytes_of(payload));
    settle(kMostUnwritten_bytes);
    return true;
  });
}

// --- room ---

void Writer::append(ChunkType type, std::span<const std::byte> payload) {
  if (!chunks_.append(type, payload)) make_room(type, payload);
  if (chunks_.used_bytes() >= let_go_bytes_ + kMostKept_bytes) let_go(generation_, chunks_);
}

// What is written is the file's: it need not stay in the process.
void Writer::let_go(std::uint64_t generation, const ChunkAppender& chunks) noexcept {
  let_go_bytes_ = chunks.used_bytes();
  file_.let_go(generation, let_go_bytes_);
}

// By id. A stray store of the program may have damaged the file: what stood behind the damage is lost, but not what comes.
std::vector<StreamName> Writer::streams() const {
  std::vector<StreamName> all(series_.size() + spans_.size());
  for (const auto& [name, id] : series_) all[id] = {.id = id, .kind = StreamKind::series, .lane = {}, .name = name};
  for (const auto& [key, id] : spans_) {
    const std::size_t between = key.find(kBetweenNames);
    all[id] = {.id = id, .kind = StreamKind::spans, .lane = key.substr(0, between), .name = key.substr(between + 1)};
  }
  return all;
}

// The next generation: what there is, with the chunk that found no room. Until it is published, the last one counts.
void Writer::make_room(ChunkType type, std::span<const std::byte> payload) {
  const std::uint64_t next = generation_ + 1;
  const std::vector<StreamName> all = streams();
  const FullRoom full{.chunks = file_.half(generation_).first(chunks_.used_bytes()),
                      .more = {.type = type, .sequence = 0, .payload = payload},
                      .streams = all};
  ChunkAppender chunks(file_.half(next), chunks_.next_sequence());
  condense(full, file_.half_bytes(), chunks, [&](std::size_t read_bytes) {
    file_.let_go(generation_, read_bytes);
    let_go(next, chunks);
  });
  file_.write_through(next, 0, std::min<std::size_t>(chunks.used_bytes() + kChunkWord_bytes, file_.half_bytes()));
  file_.publish(next);
  file_.let_go(generation_, file_.half_bytes());
  generation_ = next;
  chunks_ = chunks;
  written_ = chunks.used_bytes();
  let_go(generation_, chunks_);
}

// Where the file is not mapped, what was appended goes to it once there is more than so much, with the zero behind it.
void Writer::settle(std::size_t most_unwritten_bytes) {
  if (file_.is_mapped() || chunks_.used_bytes() - written_ <= most_unwritten_bytes) return;
  const std::size_t end = std::min<std::size_t>(chunks_.used_bytes() + kChunkWord_bytes, file_.half_bytes());
  file_.write_through(generation_, written_, end);
  written_ = chunks_.used_bytes();
}

void Writer::close() noexcept {
  guarded([&] {
    const std::int64_t now = now_ns();
    append(ChunkType::end, end_payload(now));
    settle(0);
    state_ = State::closed;
    return true;
  });
}

}  // namespace comity::record
