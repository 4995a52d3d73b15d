// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a record: whole, whatever it holds.
#include "cli/report/memory_picture.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "cli/report/messages_picture.hpp"

namespace comity::cli {
namespace {

using memory::Timelines;

Timelines ranks(int count) {
  Timelines timelines;
  for (int rank = 0; rank < count; ++rank)
    timelines.ranks.push_back({rank,
                               {{0, 5'000'000'000, 8 << 20}, {6'000'000'000, 9'000'000'000, 16 << 20}},
                               {{"mpi", {{0, 0, 1 << 20}}}},
                               {}});
  return timelines;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(MemoryPicture, HasALineForEachRankAndSumsBelow) {
  const std::string svg = memory_svg(ranks(3), "out");
  EXPECT_EQ(count(svg, "<path fill=\"none\""), 2U * 3 + 2);
  for (const char* title : {"MPI, each rank", "all, each rank", "MPI, sum of ranks", "all, sum of ranks", "3 ranks"})
    EXPECT_EQ(count(svg, title), 1U) << title;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(MemoryPicture, OfManyRanksSomeAreDrawnAndItSaysSo) {
  const std::string svg = memory_svg(ranks(1000), "out");
  EXPECT_EQ(count(svg, "<path fill=\"none\""), 2U * 256 + 2);
  EXPECT_EQ(count(svg, "256 of them drawn"), 1U);
}

TEST(MemoryPicture, TitlesAreText) {
  const std::string svg = memory_svg(ranks(1), "<a&b>\033");
  EXPECT_EQ(count(svg, "&lt;a&amp;b&gt;?"), 1U);
}

TEST(MemoryPicture, WithoutSamplesItSaysHowToGetThem) {
  try {
    (void)memory_svg({}, "out");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("comity run --memory --record DIR"), std::string::npos);
  }
}

TEST(MemoryPicture, AnyTimesMakeAPicture) {
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  for (const auto& [begin, end] : {std::pair{kFirst, kLast}, {kLast, kLast}, {0L, 0L}}) {
    Timelines timelines;
    timelines.ranks.push_back({0, {{begin, begin, 0}, {end, end, 1e18}}, {}, {}});
    EXPECT_TRUE(memory_svg(timelines, "out").ends_with("</svg>\n"));
  }
}

metrics::Job exchanging(std::initializer_list<metrics::MessageFigures> pairs) {
  metrics::Job job;
  job.messages = pairs;
  return job;
}

TEST(MessagesPicture, HasASquareForEachTwoRanksThatExchangedSome) {
  const std::string svg =
      messages_svg(exchanging({{.from = 0, .to = 1, .sent_bytes = 1 << 20, .received_bytes = 1 << 20},
                               {.from = 1, .to = 0, .put_bytes = 10},
                               {.from = 2, .to = 2, .sends = 1}}),
                   "<a>");
  EXPECT_EQ(count(svg, "hsl(215"), 2U) << "a message without bytes has none";
  EXPECT_EQ(count(svg, "hsl(215,70%,22%)"), 1U) << "the one with most is the darkest";
  EXPECT_EQ(count(svg, "in all 1.0 MiB; the darkest 1.0 MiB"), 1U);
  EXPECT_EQ(count(svg, "Messages of &lt;a&gt;"), 1U);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(MessagesPicture, OfManyRanksNeighboursShareASquareAndItSaysSo) {
  metrics::Job job;
  for (int rank = 0; rank < 1000; ++rank) job.messages.push_back({.from = rank, .to = rank, .sent_bytes = 8});
  const std::string svg = messages_svg(job, "out");
  EXPECT_EQ(count(svg, "hsl(215"), 250U);
  EXPECT_EQ(count(svg, "a square is 4 ranks by 4"), 1U);
}

TEST(MessagesPicture, WithoutMessagesItSaysSo) { EXPECT_THROW((void)messages_svg(exchanging({}), "out"), Error); }

}  // namespace
}  // namespace comity::cli
