// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/mpi_objects.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "memory/job/job.hpp"
#include "memory/rank/book.hpp"

namespace comity::memory {
namespace {

CallPath path_from(std::uintptr_t code) { return {.code = {code}, .length = 1}; }

// What a rank with these objects leaves.
record::Content content_of(const MpiObjects& objects) {
  record::Content content;
  objects.add_to(content);
  return content;
}

struct Sum {
  std::int64_t live = 0;
  std::int64_t made = 0;
  std::size_t places = 0;
};

Sum sum_of(const MpiObjects& objects, std::string_view kind) {
  const record::Content content = content_of(objects);
  const record::Table& table = content.tables.at(kObjectsTable);
  Sum sum;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "kind") != kind) continue;
    sum.live += table.integer(row, "live");
    sum.made += table.integer(row, "made");
    ++sum.places;
  }
  return sum;
}

TEST(MpiObjects, AnObjectIsLiveFromWhereItIsMadeToWhereItEnds) {
  MpiObjects objects;
  objects.made(ObjectKind::group, 7, "MPI_Comm_group", path_from(1));
  objects.made(ObjectKind::info, 7, "MPI_Info_create", path_from(2));
  objects.ended(ObjectKind::group, 7);
  EXPECT_EQ(sum_of(objects, "group").live, 0);
  EXPECT_EQ(sum_of(objects, "info").live, 1) << "another kind with the same handle";
  objects.ended(ObjectKind::info, 8);
  EXPECT_EQ(sum_of(objects, "info").live, 1) << "nobody has made what ended";
  objects.made(ObjectKind::group, 7, "MPI_Comm_group", path_from(1));
  EXPECT_EQ(sum_of(objects, "group").live, 1);
  EXPECT_EQ(sum_of(objects, "group").made, 2);
  EXPECT_EQ(sum_of(objects, "group").places, 1U);
}

TEST(MpiObjects, OfThoseThatShareAHandleTheLastOneEndsFirst) {
  MpiObjects objects;
  objects.made(ObjectKind::group, 7, "MPI_Comm_group", path_from(1));
  objects.made(ObjectKind::group, 7, "MPI_Win_get_group", path_from(2));
  objects.made(ObjectKind::group, 8, "MPI_Comm_group", path_from(3));
  objects.ended(ObjectKind::group, 7);
  const record::Content content = content_of(objects);
  const record::Table& table = content.tables.at(kObjectsTable);
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.integer(0, "live"), 1);
  EXPECT_EQ(table.integer(1, "live"), 0);
  EXPECT_EQ(table.integer(2, "live"), 1);
}

TEST(MpiObjects, AnEndThatIsToldLateIsThatOfTheObjectThatWasThereBefore) {
  MpiObjects objects;
  objects.made(ObjectKind::communicator, 7, "MPI_Comm_dup", path_from(1));
  objects.made(ObjectKind::communicator, 7, "MPI_Comm_split", path_from(2));  // by another thread
  objects.ended(ObjectKind::communicator, 7);
  const record::Content content = content_of(objects);
  const record::Table& table = content.tables.at(kObjectsTable);
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.integer(0, "live"), 0);
  EXPECT_EQ(table.integer(1, "live"), 1);
}

TEST(MpiObjects, WhatFindsNoRoomIsCountedAndSaid) {
  MpiObjects objects;
  constexpr std::uint64_t kMore = 1000;
  constexpr std::uint64_t kAll = MpiObjects::kMostObjects + kMore;
  for (std::uint64_t i = 1; i <= kAll; ++i) objects.made(ObjectKind::datatype, i, "MPI_Type_dup", path_from(1));
  EXPECT_EQ(sum_of(objects, "datatype").live, kAll);
  EXPECT_EQ(sum_of(objects, "datatype").places, 2U);
  for (std::uint64_t i = 1; i <= kAll; ++i) objects.ended(ObjectKind::datatype, i);
  EXPECT_EQ(sum_of(objects, "datatype").live, 0);
  EXPECT_EQ(sum_of(objects, "datatype").made, kAll);
  for (std::uint64_t i = 1; i <= kMore; ++i) objects.made(ObjectKind::datatype, i, "MPI_Type_dup", path_from(1));
  EXPECT_EQ(sum_of(objects, "datatype").live, kMore);
}

TEST(MpiObjects, PlacesBeyondThoseThatHaveRoomAreCountedTogether) {
  MpiObjects objects;
  constexpr std::uintptr_t kAll = MpiObjects::kMostPlaces + 50;
  for (std::uintptr_t i = 1; i <= kAll; ++i) objects.made(ObjectKind::file, i, "MPI_File_open", path_from(i));
  EXPECT_EQ(sum_of(objects, "file").live, kAll);
  EXPECT_EQ(sum_of(objects, "file").places, MpiObjects::kMostPlaces + 1);
}

// A rank's book as a job reads it.
record::Content book_with(const MpiObjects& objects, Moment last) {
  record::Content content = content_of(objects);
  content.tables.emplace(kComponentsTable, record::Table(kComponentsTable, {{"component", record::ColumnKind::text}}));
  record::Table totals(kTotalsTable,
                       {{"moment", record::ColumnKind::text}, {"peak_rss_bytes", record::ColumnKind::integer}});
  totals.add_row({std::string(kMomentNames[static_cast<std::size_t>(last)]), std::int64_t{1000}});
  content.tables.emplace(kTotalsTable, std::move(totals));
  return content;
}

// It looked as if there were none.
TEST(MpiObjects, WhereNobodyFollowsRequestsThatIsTold) {
  const MpiObjects one(MpiObjects::Requests::passed_by);
  Job job;
  job.add(0, book_with(one, Moment::at_end));
  EXPECT_FALSE(job.ranks[0].follows_requests);
  EXPECT_TRUE(objects_text_of(job).starts_with("  which requests of MPI never completed is not told"))
      << objects_text_of(job);
}

TEST(MpiObjects, OfAJobTheyAreSumsOverRanksAndThoseThatAreLeftAreTold) {
  MpiObjects one;
  one.made(ObjectKind::communicator, 1, "MPI_Comm_dup", path_from(1));
  one.made(ObjectKind::info, 1, "MPI_Info_create", path_from(2));
  one.ended(ObjectKind::info, 1);
  MpiObjects other;
  for (std::uint64_t i = 0; i < 3; ++i) other.made(ObjectKind::communicator, i, "MPI_Comm_dup", path_from(1));
  Job job;
  job.add(0, book_with(one, Moment::at_end));
  EXPECT_NE(objects_text_of(job).find("at MPI_Finalize: 1 communicator\n"), std::string::npos) << objects_text_of(job);
  job.add(1, book_with(other, Moment::after_init));
  const ObjectFigures& left = job.objects.at({"communicator", "MPI_Comm_dup", "0x1"});
  EXPECT_EQ(std::tuple(left.live, left.made, left.ranks), std::tuple(4, 4, 2));
  EXPECT_NE(objects_text_of(job).find("when ranks last told: 4 communicators\n"), std::string::npos)
      << "one was killed: " << objects_text_of(job);
  EXPECT_EQ(objects_text_of(job).find("MPI_Info_create"), std::string::npos);
  EXPECT_EQ(objects_text_of(job).find("never completed"), std::string::npos);
  EXPECT_EQ(objects_json_of(job).size(), 2U);
  EXPECT_NE(object_rows_of(job).find("\"info\",\"MPI_Info_create\",0,1,0,\"0x2\"\n"), std::string::npos)
      << object_rows_of(job);
}

TEST(MpiObjects, ThatNobodyWillEndAreCountedWithoutBeingFollowed) {
  MpiObjects objects;
  objects.made(ObjectKind::request, 1, "MPI_Send_init", path_from(1));
  objects.left(ObjectKind::request, "MPI_Isend", path_from(2), 1024);
  objects.left(ObjectKind::request, "MPI_Isend", path_from(2), 1);
  objects.left(ObjectKind::request, "MPI_Irecv", {}, 1);
  objects.ended(ObjectKind::request, 1);
  Job job;
  job.add(0, book_with(objects, Moment::at_end));
  EXPECT_EQ(job.objects.at({"request", "MPI_Isend", "0x2"}).live, 1025);
  EXPECT_EQ(job.objects.at({"request", "MPI_Irecv", ""}).live, 1);
  EXPECT_EQ(job.objects.at({"request", "MPI_Send_init", "0x1"}).live, 0);
}

}  // namespace
}  // namespace comity::memory
