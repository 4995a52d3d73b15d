// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a record's format, each alone: checksum, chunks, tables, what is kept over time, clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "record/clock_map.hpp"
#include "record/format/chunk.hpp"
#include "record/format/condense.hpp"
#include "record/format/content.hpp"
#include "record/format/crc32c.hpp"
#include "record/format/some_series.hpp"
#include "record/merge/names.hpp"
#include "shrinking.hpp"

namespace comity::record {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// --- checksum ---

TEST(Checksum, IsTheCastagnoliOneOfItsCheckValue) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c_by_tables(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Checksum, IsTheSameByInstructionAndByTablesAtEveryLengthAndPlace) {
  std::array<std::byte, 100> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t length = 0; length + from <= bytes.size(); ++length) {
      const auto some = std::span(bytes).subspan(from, length);
      ASSERT_EQ(crc32c(some, 5), crc32c_by_tables(some, 5)) << from << ' ' << length;
    }
  }
}

TEST(Checksum, GoesOnFromWhatStandsBefore) {
  EXPECT_EQ(crc32c(bytes_of("56789"), crc32c(bytes_of("1234"))), crc32c(bytes_of("123456789")));
}

// --- chunks ---

struct Room {
  alignas(8) std::array<std::byte, 256> bytes{};
};

std::vector<std::string> facts_in(std::span<const std::byte> bytes, Scan& scan) {
  std::vector<std::string> found;
  scan = scan_chunks(bytes, [&](const Chunk& chunk) {
    ByteReader from(chunk.payload);
    const std::string key = from.text();
    found.push_back(key + '=' + from.text());
  });
  return found;
}

TEST(Chunks, AreReadBackUpToTheZero) {
  Room room;
  room.bytes.fill(std::byte{0xAA});
  ChunkAppender chunks(room.bytes, 7);
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("a", "1")));
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("b", "22")));
  Scan scan{};
  EXPECT_EQ(facts_in(room.bytes, scan), (std::vector<std::string>{"a=1", "b=22"}));
  EXPECT_EQ(scan.end, ScanEnd::at_zero);
  EXPECT_EQ(scan.stopped_at, chunks.used_bytes());
  EXPECT_EQ(chunks.next_sequence(), 9U);
}

TEST(Chunks, FillTheRoomToItsLastByteAndNoFurther) {
  Room room;
  ChunkAppender chunks(room.bytes, 1);
  std::size_t count = 0;
  while (chunks.append(ChunkType::fact, fact_payload("k", "123456789012345"))) ++count;
  EXPECT_EQ(count, 256U / 40U);
  const std::vector<std::byte> rest(room.bytes.size() - chunks.used_bytes() - kChunkHeader_bytes);
  EXPECT_TRUE(chunks.append(ChunkType::end, rest));
  EXPECT_EQ(chunks.used_bytes(), room.bytes.size());
  const Scan scan = scan_chunks(room.bytes, [](const Chunk&) {});
  EXPECT_EQ(scan.end, ScanEnd::at_end_of_bytes);
  EXPECT_EQ(scan.chunks, count + 1);
}

TEST(Chunks, OfAnEarlierGenerationBehindTheEndAreNotTaken) {
  Room room;
  ChunkAppender old(room.bytes, 1);
  while (old.append(ChunkType::fact, fact_payload("old", "x"))) continue;
  ChunkAppender chunks(room.bytes, 100);
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("new", "x")));
  std::memset(room.bytes.data() + chunks.used_bytes(), 0x11, 1);  // the zero behind it is lost
  Scan scan{};
  EXPECT_EQ(facts_in(room.bytes, scan), (std::vector<std::string>{"new=x"}));
  EXPECT_EQ(scan.end, ScanEnd::damaged);
}

TEST(Chunks, WithAnyFlippedBitEndTheScanBeforeThem) {
  Room room;
  ChunkAppender chunks(room.bytes, 1);
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("a", "1")));
  const std::size_t first = chunks.used_bytes();
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("b", "2")));
  for (std::size_t bit = 8 * first; bit < 8 * chunks.used_bytes(); ++bit) {
    Room flipped = room;
    flipped.bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    Scan scan{};
    ASSERT_EQ(facts_in(flipped.bytes, scan), (std::vector<std::string>{"a=1"})) << "bit " << bit;
    ASSERT_EQ(scan.end, ScanEnd::damaged);
    ASSERT_EQ(scan.stopped_at, first);
  }
}

// --- tables ---

Table calls() {
  Table table("calls", {{"function", ColumnKind::text}, {"count", ColumnKind::integer}, {"wait_s", ColumnKind::real}});
  table.add_row({"MPI_Send", std::int64_t{3}, 0.5});
  table.add_row({"", std::int64_t{-1}, -0.25});
  return table;
}

TEST(Tables, ComeBackAsTheyWere) {
  ByteWriter bytes;
  calls().encode(bytes);
  ByteReader from(bytes.bytes());
  const Table back = Table::decode(from);
  EXPECT_EQ(back, calls());
  EXPECT_EQ(back.text(0, "function"), "MPI_Send");
  EXPECT_EQ(back.integer(1, "count"), -1);
  EXPECT_EQ(back.real(0, "wait_s"), 0.5);
}

TEST(Tables, RefuseRowsThatDoNotGoWithTheColumns) {
  Table table = calls();
  EXPECT_THROW(table.add_row({"MPI_Recv"}), Error);
  EXPECT_THROW(table.add_row({"MPI_Recv", 1.0, 1.0}), Error);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_THROW((void)table.real(0, "count"), Error);
  EXPECT_THROW((void)table.integer(2, "count"), Error);
  EXPECT_THROW((void)table.integer(0, "counts"), Error);
}

TEST(Tables, HaveAnotherNumberForAColumnThatIsNotThere) {
  const Table table = calls();
  EXPECT_EQ(table.integer_or(1, "count", 7), -1);
  EXPECT_EQ(table.integer_or(0, "later", 7), 7);
  EXPECT_THROW((void)table.integer_or(0, "wait_s", 7), Error) << "it is there, and is no whole number";
  EXPECT_THROW((void)table.integer_or(2, "count", 7), Error);
}

TEST(Tables, CutOffAnywhereAreRefused) {
  ByteWriter bytes;
  calls().encode(bytes);
  for (std::size_t length = 0; length < bytes.bytes().size(); ++length) {
    ByteReader from(std::span(bytes.bytes()).first(length));
    ASSERT_THROW((void)Table::decode(from), Error) << length;
  }
}

// --- over time ---

TEST(Samples, MergedKeepMinimumMaximumLastAndCount) {
  Entries<SampleEntry> entries{sample_entry(1, 5), sample_entry(2, 9), sample_entry(3, -1), sample_entry(4, 4)};
  EXPECT_TRUE(merge_pairs(entries, 1));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_TRUE(merge_pairs(entries, 100));
  EXPECT_EQ(entries, (Entries<SampleEntry>{{1, 4, -1, 9, 4, 4}}));
}

TEST(Samples, FartherApartThanTheStepStayApart) {
  Entries<SampleEntry> entries{sample_entry(0, 1), sample_entry(10, 2), sample_entry(11, 3)};
  EXPECT_TRUE(merge_pairs(entries, 5));
  EXPECT_EQ(entries, (Entries<SampleEntry>{sample_entry(0, 1), {10, 11, 2, 3, 3, 2}}));
  EXPECT_FALSE(merge_pairs(entries, 5));
}

TEST(Spans, MergedKeepCountSumShortestLongestBeginAndEnd) {
  Entries<SpanEntry> entries{span_entry(10, 20), span_entry(30, 35)};
  EXPECT_TRUE(merge_pairs(entries, 25));
  EXPECT_EQ(entries, (Entries<SpanEntry>{{10, 35, 5, 10, 15, 2}}));
}

TEST(Spans, OfNestedCallsOfOneNameBeginWithTheOuterOne) {
  EXPECT_EQ(merged(span_entry(5, 6), span_entry(1, 9)), (SpanEntry{1, 9, 1, 8, 9, 2}));
}

TEST(Timeline, MergedCountsStayWithinWhatAReaderTakes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  SampleEntry sample = sample_entry(1, 5);
  SpanEntry span = span_entry(1, 9);
  sample.count = span.count = kMost - 1;
  for (int times = 0; times < 3; ++times) {
    sample = merged(sample, sample);
    span = merged(span, span);
  }
  EXPECT_EQ(sample.count, kMost);
  EXPECT_EQ(span.count, kMost);
  EXPECT_NO_THROW(check(sample));
  EXPECT_NO_THROW(check(span));
}

TEST(Timeline, MergingIsAssociative) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::array<SampleEntry, 3> a;
    std::array<SpanEntry, 3> b;
    for (std::size_t i = 0; i < 3; ++i) {
      a[i] = sample_entry(static_cast<std::int64_t>(random()), static_cast<double>(random() % 9));
      b[i] = span_entry(static_cast<std::int64_t>(random()), static_cast<std::int64_t>(random()));
    }
    ASSERT_EQ(merged(merged(a[0], a[1]), a[2]), merged(a[0], merged(a[1], a[2])));
    ASSERT_EQ(merged(merged(b[0], b[1]), b[2]), merged(b[0], merged(b[1], b[2])));
  }
}

Content long_run() {
  Content content;
  content.facts["program"] = "twomesh";
  content.tables.insert_or_assign("calls", calls());
  content.series[0].name = "memory_bytes";
  content.spans[1] = {.lane = "main", .name = "solve", .entries = {}};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    content.series[0].entries.push_back(sample_entry(1000 * i, static_cast<double>(i % 100)));
    if (i % 10 == 0) content.spans[1].entries.push_back(span_entry(1000 * i, 1000 * i + 500));
  }
  content.ended_ns = 10'000'000;
  return content;
}

TEST(Content, ComesBackAsItWas) {
  const Content content = long_run();
  const Bytes bytes = encode(content);
  EXPECT_EQ(bytes.size(), encoded_bytes(content));
  Content back;
  const Scan scan = decode(bytes, back);
  EXPECT_EQ(scan.end, ScanEnd::at_end_of_bytes);
  EXPECT_EQ(back, content);
}

TEST(Content, IsReadWithoutWhatHappenedOverTimeWhereNobodyAsks) {
  const Content content = long_run();
  Content fixed;
  const Bytes bytes = encode(content);
  const Scan scan = decode(bytes, fixed, Parts::fixed);
  EXPECT_EQ(scan.stopped_at, bytes.size()) << "what is passed over is checked all the same";
  EXPECT_EQ(fixed.facts, content.facts);
  EXPECT_EQ(fixed.tables, content.tables);
  EXPECT_EQ(fixed.ended_ns, content.ended_ns);
  EXPECT_TRUE(fixed.series.empty() && fixed.spans.empty());
}

template <typename Payload>
void append_one(ChunkAppender& into, ChunkType type, const Payload& payload) {
  ASSERT_TRUE(into.append(type, std::as_bytes(std::span(&payload, 1))));
}

// As blocks and one by one, as merged and as running records have them.
TEST(Content, IsReadWithTheSeriesThatAreAskedForAlone) {
  Content content = long_run();
  content.series[2] = {"calls", {sample_entry(5, 3)}};
  content.spans[3] = {.lane = "main", .name = "calls", .entries = {span_entry(1, 2)}};
  Bytes bytes(encoded_bytes(content) + 3 * chunk_bytes(sizeof(SamplePayload)));
  ChunkAppender into(bytes, 1);
  ASSERT_TRUE(encode(content, into));
  append_one(into, ChunkType::sample, SamplePayload{0, 0, 10'000'000, 1});
  append_one(into, ChunkType::sample, SamplePayload{2, 0, 4, 7});
  append_one(into, ChunkType::span, SpanPayload{3, 0, 5, 6});
  constexpr std::array<std::string_view, 2> kAsked{"calls", "of nobody"};
  Content some;
  const Scan scan = decode_with_series(bytes, kAsked, some);
  EXPECT_EQ(scan.stopped_at, bytes.size()) << "what is passed over is checked all the same";
  EXPECT_EQ(some.facts, content.facts);
  EXPECT_EQ(some.tables, content.tables);
  EXPECT_EQ(some.ended_ns, content.ended_ns);
  ASSERT_EQ(some.series.size(), 1U);
  EXPECT_EQ(some.series[2].name, "calls");
  EXPECT_EQ(some.series[2].entries, (Entries<SampleEntry>{sample_entry(4, 7), sample_entry(5, 3)})) << "by time";
  EXPECT_TRUE(some.spans.empty());
}

TEST(Content, ShrinksToTheRoomAndCoversTheWholeRunEvenly) {
  Content content = long_run();
  shrink_timeline(content, 20'000);
  EXPECT_LE(timeline_bytes(content), 20'000U);
  EXPECT_GT(timeline_bytes(content), 20'000U / 5);  // not coarser than it must be
  const auto& entries = content.series[0].entries;
  EXPECT_EQ(entries.front().first_ns, 0);
  EXPECT_EQ(entries.back().last_ns, 9'999'000);
  std::uint64_t count = 0;
  std::int64_t widest = 0;
  for (const SampleEntry& entry : entries) {
    count += entry.count;
    widest = std::max(widest, entry.last_ns - entry.first_ns);
  }
  EXPECT_EQ(count, 10'000U);
  EXPECT_LT(widest, 10'000'000 / 20);
}

TEST(Content, ShrinksToOneEntryAStreamWhereThatIsAllThatFits) {
  Content content = long_run();
  shrink_timeline(content, 1);
  ASSERT_EQ(content.series[0].entries.size(), 1U);
  EXPECT_EQ(content.series[0].entries[0], (SampleEntry{0, 9'999'000, 0, 99, 99, 10'000}));
  ASSERT_EQ(content.spans[1].entries.size(), 1U);
  EXPECT_EQ(content.spans[1].entries[0], (SpanEntry{0, 9'990'500, 500, 500, 500'000, 1000}));
}

TEST(Content, OfTimesAtBothEndsOfTheClockShrinksToo) {
  Content content;
  content.series[0].name = "x";
  for (const std::int64_t time :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    content.series[0].entries.push_back(sample_entry(time, 1));
  }
  shrink_timeline(content, 1);
  EXPECT_EQ(content.series[0].entries.size(), 1U);
}

// --- what a full half becomes ---

// A half as a rank fills it: snapshots that follow one another, blocks that were merged before and single entries behind them, streams in turn.
class Half {
 public:
  explicit Half(std::uint64_t seed) : random_(seed) {
    put_fixed("old");
    const std::size_t streams = random_() % 6;
    for (std::size_t i = 0; i < streams; ++i) declare(random_() % 2 == 0 ? StreamKind::series : StreamKind::spans);
    put_blocks();
    put_fixed("new");
    for (std::uint64_t left = random_() % 3000; left > 0 && !names_.empty(); --left) put_one();
  }

  // Samples of other threads come late.
  void mix_up() {
    for (int i = 0; i < 20 && !names_.empty(); ++i) {
      time_ns_ -= static_cast<std::int64_t>(random_() % 5000);
      put_one();
    }
  }

  [[nodiscard]] std::span<const std::byte> chunks() const { return std::span(room_).first(into_.used_bytes()); }
  [[nodiscard]] std::span<std::byte> room() { return room_; }
  [[nodiscard]] const std::vector<StreamName>& names() const { return names_; }

  [[nodiscard]] Content content() const {
    Content all;
    (void)decode(chunks(), all);
    for (const StreamName& stream : names_) {  // also of one that nothing is told of
      if (stream.kind == StreamKind::series) {
        all.series[stream.id].name = stream.name;
      } else {
        all.spans[stream.id].lane = stream.lane;
        all.spans[stream.id].name = stream.name;
      }
    }
    return all;
  }

 private:
  void put_fixed(const std::string& value) {
    ASSERT_TRUE(into_.append(ChunkType::fact, fact_payload("a fact", value)));
    ASSERT_TRUE(into_.append(ChunkType::fact, fact_payload(value, "is told once")));
    ASSERT_TRUE(into_.append(ChunkType::table, table_payload(calls())));
  }

  void declare(StreamKind kind) {
    const auto id = static_cast<StreamId>(names_.size());
    names_.push_back({id, kind, kind == StreamKind::spans ? "main" : "", "stream " + std::to_string(id)});
    ASSERT_TRUE(into_.append(ChunkType::stream, stream_payload(names_.back())));
  }

  void put_blocks() {
    for (const StreamName& stream : names_) {
      for (std::uint64_t left = random_() % 3; left > 0; --left) {
        const std::size_t entries = 1 + random_() % kEntriesABlock;
        if (stream.kind == StreamKind::series) put_block(stream.id, Entries<SampleEntry>(entries));
        if (stream.kind == StreamKind::spans) put_block(stream.id, Entries<SpanEntry>(entries));
      }
    }
  }

  template <typename Entry>
  void put_block(StreamId id, Entries<Entry> entries) {
    for (Entry& entry : entries) entry = merged(next(entry), next(entry));
    ASSERT_TRUE(append_block(id, std::span<const Entry>(entries), into_));
  }

  SampleEntry next(const SampleEntry& /*like*/) { return sample_entry(later(), static_cast<double>(random_() % 100)); }
  SpanEntry next(const SpanEntry& /*like*/) {
    const std::int64_t begin_ns = later();
    return span_entry(begin_ns, later());
  }
  // Many soon one behind the other, some after a while.
  std::int64_t later() {
    return time_ns_ += static_cast<std::int64_t>(random_() % (random_() % 50 == 0 ? 100'000 : 100));
  }

  void put_one() {
    const StreamName& stream = names_[random_() % names_.size()];
    const std::int64_t begin_ns = later();
    if (stream.kind == StreamKind::series) {
      append_one(into_, ChunkType::sample, SamplePayload{stream.id, 0, begin_ns, static_cast<double>(random_() % 100)});
    } else {
      append_one(into_, ChunkType::span, SpanPayload{stream.id, 0, begin_ns, later()});
    }
  }

  std::mt19937_64 random_;
  Bytes room_ = Bytes(1U << 20U);
  ChunkAppender into_{room_, 1};
  std::vector<StreamName> names_;
  std::int64_t time_ns_ = 1'000'000;
};

constexpr std::int64_t kEnd_ns = 77;

// The last chunk, which found no room, ends the record.
Content condensed(const Half& half, std::size_t room_bytes) {
  const Bytes end = end_payload(kEnd_ns);
  Bytes room(room_bytes);
  ChunkAppender into(room, 1);
  condense({half.chunks(), {ChunkType::end, 0, end}, half.names()}, room_bytes, into, [](std::size_t /*bytes*/) {});
  Content content;
  EXPECT_EQ(decode(std::span(room).first(into.used_bytes()), content).end, ScanEnd::at_end_of_bytes);
  return content;
}

Content shrunk(const Half& half, std::size_t room_bytes) {
  Content content = half.content();
  content.ended_ns = kEnd_ns;
  shrink_timeline(content, (room_bytes - (encoded_bytes(content) - timeline_bytes(content))) / 2);
  return content;
}

TEST(Condensing, GivesChunkByChunkWhatTheWholeContentGives) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Half half(seed);
    for (const std::size_t room_bytes : {4096U, 16384U, 100'000U, 1U << 20U}) {
      ASSERT_EQ(condensed(half, room_bytes), shrunk(half, room_bytes)) << seed << ", " << room_bytes << " bytes";
    }
  }
}

TEST(Condensing, SortsSamplesThatCameLate) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Half half(seed);
    half.mix_up();
    ASSERT_EQ(condensed(half, 16384), shrunk(half, 16384)) << seed;
  }
}

TEST(Condensing, LosesWhatStandsBehindDamageAndNoName) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Half half(seed);
    half.room()[half.chunks().size() / (1 + seed % 3) - 8] ^= std::byte{1};
    ASSERT_EQ(condensed(half, 16384), shrunk(half, 16384)) << seed;
  }
}

TEST(Condensing, TellsHowFarItHasRead) {
  Content content = long_run();
  for (std::int64_t i = 0; i < 10'000; ++i) content.spans[1].entries.push_back(span_entry(i, i + 1));
  const Bytes bytes = encode(content);
  const std::vector<StreamName> names{{0, StreamKind::series, "", "memory_bytes"},
                                      {1, StreamKind::spans, "main", "solve"}};
  const Bytes end = end_payload(kEnd_ns);
  Bytes room(bytes.size());
  ChunkAppender into(room, 1);
  std::vector<std::size_t> read;
  condense({bytes, {ChunkType::end, 0, end}, names}, room.size(), into,
           [&](std::size_t read_bytes) { read.push_back(read_bytes); });
  std::size_t before = 0;
  for (const std::size_t now : read) {
    EXPECT_GT(now, before);
    EXPECT_LT(now, before + (300U << 10U)) << "no more is kept";
    before = now == bytes.size() ? 0 : now;  // once more
  }
  EXPECT_EQ(read.back(), bytes.size());
  EXPECT_EQ(std::count(read.begin(), read.end(), bytes.size()), 3) << "looked at, tried and written";
}

TEST(Condensing, RefusesWhereNamesAloneAreTooMany) {
  Half half(1);
  Bytes room(100);
  ChunkAppender into(room, 1);
  EXPECT_THROW(condense({half.chunks(), {ChunkType::end, 0, end_payload(1)}, half.names()}, room.size(), into,
                        [](std::size_t) {}),
               Error);
}

TEST(Content, OfSamplesOutOfOrderIsSortedWhenRead) {
  Content content;
  content.series[0] = {.name = "x", .entries = {sample_entry(9, 1), sample_entry(3, 2)}};
  Content back;
  (void)decode(encode(content), back);
  EXPECT_EQ(back.series[0].entries.front().first_ns, 3);
}

TEST(Content, PassesOverChunksOfATypeThatIsNotKnown) {
  Room room;
  ChunkAppender chunks(room.bytes, 1);
  EXPECT_TRUE(chunks.append(static_cast<ChunkType>(999), fact_payload("a", "1")));
  EXPECT_TRUE(chunks.append(ChunkType::fact, fact_payload("b", "2")));
  Content content;
  (void)decode(room.bytes, content);
  EXPECT_EQ(content.facts, (std::map<std::string, std::string>{{"b", "2"}}));
}

TEST(Content, StopsAtAChunkThatHoldsButMakesNoSense) {
  Room room;
  ChunkAppender chunks(room.bytes, 1);
  const SamplePayload sample{.id = 3, .reserved = 0, .time_ns = 1, .value = 1};
  EXPECT_TRUE(chunks.append(ChunkType::sample, std::as_bytes(std::span(&sample, 1))));
  Content content;
  const Scan scan = decode(room.bytes, content);
  EXPECT_EQ(scan.end, ScanEnd::damaged);
  EXPECT_EQ(scan.stopped_at, 0U);
}

TEST(Content, StopsAtAnEntryThatStandsForNothingOrForMoreThanAReaderCounts) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto taken_of = [](std::uint64_t samples, std::uint64_t spans) {
    Content content;
    content.series[0] = {.name = "x", .entries = {sample_entry(0, 1)}};
    content.spans[1] = {.lane = "main", .name = "y", .entries = {span_entry(0, 1)}};
    content.series[0].entries[0].count = samples;
    content.spans[1].entries[0].count = spans;
    Content back;
    (void)decode(encode(content), back);
    return back.series[0].entries.size() + back.spans[1].entries.size();
  };
  EXPECT_EQ(taken_of(kMost, kMost), 2U);
  EXPECT_EQ(taken_of(kMost + 1, 1), 0U);
  EXPECT_EQ(taken_of(1, kMost + 1), 1U);
  EXPECT_EQ(taken_of(0, 1), 0U);
  EXPECT_EQ(taken_of(1, 0), 1U);
}

// --- clocks ---

TEST(Clocks, AreMappedLinearlyBetweenTheMeasurementsAndFlatOutside) {
  const ClockMap clock({.at_ns = 1000, .offset_ns = 100}, {.at_ns = 2000, .offset_ns = 300});
  EXPECT_EQ(clock.on_rank_0(1000), 1100);
  EXPECT_EQ(clock.on_rank_0(1500), 1700);
  EXPECT_EQ(clock.on_rank_0(2000), 2300);
  EXPECT_EQ(clock.on_rank_0(0), 100);
  EXPECT_EQ(clock.on_rank_0(5000), 5300);
}

TEST(Clocks, OfAKilledRankKeepTheFirstOffset) {
  const ClockMap clock = ClockMap::from_facts({{kOffsetBeginFact, "-50"}, {kOffsetBeginAtFact, "1000"}});
  EXPECT_TRUE(clock.is_known());
  EXPECT_EQ(clock.on_rank_0(9000), 8950);
}

TEST(Clocks, TellHowFarOffTheyAreOnlyWhereEveryMeasurementDoes) {
  std::map<std::string, std::string> facts{{kOffsetBeginFact, "-50"}, {kOffsetBeginAtFact, "1000"}};
  const auto error_ns = [&] { return ClockMap::from_facts(facts).error_ns(); };
  EXPECT_EQ(error_ns(), std::nullopt);
  facts[kOffsetBeginErrorFact] = "-1";
  EXPECT_EQ(error_ns(), std::nullopt);
  facts[kOffsetBeginErrorFact] = "0";
  EXPECT_EQ(error_ns(), 0);
  facts.insert({{kOffsetEndFact, "-40"}, {kOffsetEndAtFact, "2000"}});
  EXPECT_EQ(error_ns(), std::nullopt);
  facts[kOffsetEndErrorFact] = "7";
  EXPECT_EQ(error_ns(), 7);
}

TEST(Clocks, WithoutOffsetsAreTakenAsOne) {
  for (const auto& facts :
       {std::map<std::string, std::string>{}, {{kOffsetBeginFact, "x"}, {kOffsetBeginAtFact, "1"}}}) {
    const ClockMap clock = ClockMap::from_facts(facts);
    EXPECT_FALSE(clock.is_known());
    EXPECT_EQ(clock.on_rank_0(77), 77);
  }
}

}  // namespace
}  // namespace comity::record
