// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/condense.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/format/sieve.hpp"

namespace comity::record {
namespace {

using Payload = std::span<const std::byte>;

constexpr std::int64_t kLongestStep_ns = std::numeric_limits<std::int64_t>::max();

// Something for each stream: for those of samples and those of spans of a kind of its own.
template <template <typename> typename Of>
class EachStream {
 public:
  template <typename... Arguments>
  explicit EachStream(std::span<const StreamName> streams, const Arguments&... arguments) {
    places_.reserve(streams.size());
    for (const StreamName& stream : streams) {
      const bool is_series = stream.kind == StreamKind::series;
      places_.push_back(is_series ? of_samples_.size() : of_spans_.size());
      if (is_series) of_samples_.emplace_back(arguments...);
      if (!is_series) of_spans_.emplace_back(arguments...);
    }
  }

  [[nodiscard]] Of<SampleEntry>& at(StreamId id, const SampleEntry& /*of*/) { return of_samples_[places_[id]]; }
  [[nodiscard]] Of<SpanEntry>& at(StreamId id, const SpanEntry& /*of*/) { return of_spans_[places_[id]]; }

  // visit(id, its)
  template <typename Visit>
  void for_each(std::span<const StreamName> streams, Visit&& visit) {
    for (const StreamName& stream : streams) {
      if (stream.kind == StreamKind::series) visit(stream.id, of_samples_[places_[stream.id]]);
      if (stream.kind == StreamKind::spans) visit(stream.id, of_spans_[places_[stream.id]]);
    }
  }

 private:
  std::vector<std::size_t> places_;  // by id
  std::vector<Of<SampleEntry>> of_samples_;
  std::vector<Of<SpanEntry>> of_spans_;
};

// What is known of a stream once all was looked at. Samples that do not come in the order of their times are gathered and sorted.
template <typename Entry>
struct Seen {
  std::size_t count = 0;
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  bool is_gathered = false;
  Entries<Entry> gathered;
};

// Entries of a stream that wait for a whole block.
template <typename Entry>
using Block = std::vector<Entry>;

class Condensing {
 public:
  Condensing(const FullRoom& full, const HasRead& has_read)
      : full_(full), has_read_(has_read), is_declared_(full.streams.size()), seen_(full.streams) {
    look();
    if (gathers_) gather();
  }

  // --- what chunks say, at the first look ---

  void take_fact(const std::string& key, const std::string& /*value*/) { facts_[key] = payload_; }
  void take_table(const Table& table) { tables_[table.name()] = payload_; }
  void take_end(std::int64_t /*ended_ns*/) { end_ = payload_; }

  void take_stream(const StreamName& stream) {
    if (!is_known(stream.id, stream.kind)) throw senseless("a stream is declared that its writer does not know");
    if (std::exchange(is_declared_[stream.id], 1) != 0) throw senseless("a stream is declared twice");
  }

  template <typename Entry>
  void take_entries(StreamId id, std::span<const Entry> entries) {
    if (!is_known(id, kind_of(Entry{})) || is_declared_[id] == 0)
      throw senseless("a sample or span is of a stream that was not declared");
    Seen<Entry>& seen = seen_.at(id, Entry{});
    seen.count += entries.size();
    for (const Entry& entry : entries) {
      first_ns_ = std::min(first_ns_, entry.first_ns);
      last_ns_ = std::max(last_ns_, entry.last_ns);
      if (kind_of(entry) == StreamKind::series && entry.first_ns < seen.latest_ns) gathers_ = seen.is_gathered = true;
      seen.latest_ns = entry.first_ns;
    }
  }

  // --- what becomes of them ---

  void write(std::size_t room_bytes, ChunkAppender& into) {
    const std::size_t rest_bytes = bytes_of_rest();
    if (rest_bytes > room_bytes) throw Error(Status::internal, "facts, tables and names outgrew their room");
    const std::vector<std::int64_t> steps_ns = steps_until((room_bytes - rest_bytes) / 2);
    bool fits = write_facts_and_names(into);
    fits = fits && write_timeline(steps_ns, into);
    fits = fits && (!end_ || into.append(ChunkType::end, *end_));
    if (!fits) throw Error(Status::internal, "merged content outgrew its room");
  }

 private:
  // Listens to entries alone.
  template <typename Visit>
  struct EntryListener {
    Visit& visit;
    void take_fact(const std::string& /*key*/, const std::string& /*value*/) {}
    void take_table(const Table& /*table*/) {}
    void take_stream(const StreamName& /*stream*/) {}
    void take_end(std::int64_t /*ended_ns*/) {}
    template <typename Entry>
    void take_entries(StreamId id, std::span<const Entry> entries) {
      for (const Entry& entry : entries) visit(id, entry);
    }
  };

  [[nodiscard]] static StreamKind kind_of(const SampleEntry& /*entry*/) { return StreamKind::series; }
  [[nodiscard]] static StreamKind kind_of(const SpanEntry& /*entry*/) { return StreamKind::spans; }

  [[nodiscard]] bool is_known(StreamId id, StreamKind kind) const {
    return id < full_.streams.size() && full_.streams[id].kind == kind;
  }

  void look() {
    const auto note = [&](const Chunk& chunk) {
      payload_ = chunk.payload;
      tell(chunk, *this);
    };
    full_.chunks = full_.chunks.first(scan_chunks(full_.chunks, note, has_read_).stopped_at);
    if (full_.more.type == ChunkType::stream) return;              // it is among those that are known
    std::fill(is_declared_.begin(), is_declared_.end(), char{1});  // also those whose declaration was damaged
    note(full_.more);
  }

  // visit(id, entry), as they stand in the chunks.
  template <typename Visit>
  void for_each_entry(Visit&& visit) const {
    EntryListener<Visit> listener{visit};
    const auto note = [&](const Chunk& chunk) {
      if (is_of_timeline(chunk.type) && chunk.type != ChunkType::stream) tell(chunk, listener);
    };
    (void)scan_chunks(full_.chunks, note, has_read_);
    note(full_.more);
  }

  void gather() {
    for_each_entry([&](StreamId id, const auto& entry) {
      auto& seen = seen_.at(id, entry);
      if (seen.is_gathered) seen.gathered.push_back(entry);
    });
    seen_.for_each(full_.streams, [](StreamId /*id*/, auto& seen) {
      std::stable_sort(seen.gathered.begin(), seen.gathered.end(),
                       [](const auto& a, const auto& b) { return a.first_ns < b.first_ns; });
    });
  }

  // The same, those of each stream in the order in which they are merged.
  template <typename Visit>
  void for_each_in_order(Visit&& visit) {
    for_each_entry([&](StreamId id, const auto& entry) {
      if (!seen_.at(id, entry).is_gathered) visit(id, entry);
    });
    seen_.for_each(full_.streams, [&](StreamId id, const auto& seen) {
      for (const auto& entry : seen.gathered) visit(id, entry);
    });
  }

  // [bytes] Of all but samples and spans.
  [[nodiscard]] std::size_t bytes_of_rest() const {
    std::size_t bytes = end_ ? chunk_bytes(end_->size()) : 0;
    for (const auto& [key, payload] : facts_) bytes += chunk_bytes(payload.size());
    for (const auto& [name, payload] : tables_) bytes += chunk_bytes(payload.size());
    for (const StreamName& stream : full_.streams) bytes += chunk_bytes(stream_payload(stream).size());
    return bytes;
  }

  // The first step is what each entry covers where they are as many as there is room for, all alike.
  [[nodiscard]] std::vector<std::int64_t> first_steps(std::size_t count, std::size_t most_bytes) const {
    const auto room = static_cast<std::int64_t>(std::min<std::size_t>(most_bytes / sizeof(SampleEntry), 1U << 30U));
    std::vector<std::int64_t> steps_ns;
    for (std::int64_t step_ns = std::max<std::int64_t>(1, distance_ns(first_ns_, last_ns_) / (room + 1)); count > 0;
         --count) {
      steps_ns.push_back(step_ns);
      step_ns = step_ns > kLongestStep_ns / 2 ? kLongestStep_ns : 2 * step_ns;
    }
    return steps_ns;
  }

  // As many as it takes until samples and spans have no more than so many bytes, or no neighbours are left. Where many streams are there, each with
  // stages of its own, fewer are tried at first.
  [[nodiscard]] std::vector<std::int64_t> steps_until(std::size_t most_bytes) {
    constexpr std::size_t kMostAtFirst = 8;
    constexpr std::size_t kStagesOfAllAtFirst = 1024;
    std::size_t bytes = 0;
    seen_.for_each(full_.streams, [&](StreamId /*id*/, const auto& seen) { bytes += blocks_bytes(seen.count); });
    if (bytes <= most_bytes) return {};
    for (std::size_t tried = std::clamp<std::size_t>(kStagesOfAllAtFirst / full_.streams.size(), 1, kMostAtFirst);;
         tried *= 2) {
      const std::vector<std::int64_t> steps_ns = first_steps(tried, most_bytes);
      if (const auto enough = try_steps(steps_ns, most_bytes)) return first_steps(*enough, most_bytes);
    }
  }

  // How many of them are enough; none: more are needed.
  [[nodiscard]] std::optional<std::size_t> try_steps(std::span<const std::int64_t> steps_ns, std::size_t most_bytes) {
    EachStream<Sieve> sieves(full_.streams, steps_ns.size());
    const auto nowhere = [](const auto& /*entry*/) {};
    for_each_in_order([&](StreamId id, const auto& entry) { sieves.at(id, entry).take(entry, steps_ns, nowhere); });
    sieves.for_each(full_.streams, [&](StreamId /*id*/, auto& sieve) { sieve.end(steps_ns, nowhere); });
    std::size_t before = 0;
    for (std::size_t stage = 0; stage < steps_ns.size(); ++stage) {
      std::size_t bytes = 0;
      std::size_t entries = 0;
      sieves.for_each(full_.streams, [&](StreamId /*id*/, const auto& sieve) {
        bytes += blocks_bytes(sieve.passed(stage));
        entries += sieve.passed(stage);
      });
      if (bytes <= most_bytes || (steps_ns[stage] == kLongestStep_ns && entries == before)) return stage + 1;
      before = entries;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool write_facts_and_names(ChunkAppender& into) const {
    for (const auto& [key, payload] : facts_) {
      if (!into.append(ChunkType::fact, payload)) return false;
    }
    for (const auto& [name, payload] : tables_) {
      if (!into.append(ChunkType::table, payload)) return false;
    }
    return std::all_of(full_.streams.begin(), full_.streams.end(), [&](const StreamName& stream) {
      return into.append(ChunkType::stream, stream_payload(stream));
    });
  }

  [[nodiscard]] bool write_timeline(std::span<const std::int64_t> steps_ns, ChunkAppender& into) {
    EachStream<Sieve> sieves(full_.streams, steps_ns.size());
    EachStream<Block> blocks(full_.streams);
    bool fits = true;
    const auto write = [&](StreamId id, auto& block) {
      fits = fits && append_block(id, std::span(std::as_const(block)), into);
      block.clear();
    };
    const auto put = [&](StreamId id, const auto& entry) {
      auto& block = blocks.at(id, entry);
      block.push_back(entry);
      if (block.size() == kEntriesABlock) write(id, block);
    };
    for_each_in_order([&](StreamId id, const auto& entry) {
      sieves.at(id, entry).take(entry, steps_ns, [&](const auto& one) { put(id, one); });
    });
    sieves.for_each(full_.streams,
                    [&](StreamId id, auto& sieve) { sieve.end(steps_ns, [&](const auto& one) { put(id, one); }); });
    blocks.for_each(full_.streams, [&](StreamId id, auto& block) {
      if (!block.empty()) write(id, block);
    });
    return fits;
  }

  FullRoom full_;
  const HasRead& has_read_;
  Payload payload_;  // of the chunk that is told
  std::map<std::string, Payload> facts_;
  std::map<std::string, Payload> tables_;
  std::optional<Payload> end_;
  std::vector<char> is_declared_;  // by id
  EachStream<Seen> seen_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
  bool gathers_ = false;
};

}  // namespace

void condense(const FullRoom& full, std::size_t room_bytes, ChunkAppender& into, const HasRead& has_read) {
  Condensing(full, has_read).write(room_bytes, into);
}

}  // namespace comity::record
