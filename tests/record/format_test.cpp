// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a record's format, each alone: checksum, chunks, tables, what is kept over time, clocks.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/clock_map.hpp"
#include "record/format/chunk.hpp"
#include "record/format/content.hpp"
#include "record/format/crc32c.hpp"
#include "record/format/some_series.hpp"
#include "record/merge/names.hpp"

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
