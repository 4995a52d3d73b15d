// SPDX-License-Identifier: BSD-3-Clause
// Writes a record whose content is known, for readers in other languages: FOLDER/rank-000001.comity, of a writer that was killed
// and had used both halves, and FOLDER/run.comity of ranks 0 and 1.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "record/merge/names.hpp"
#include "record/run/recover.hpp"
#include "record/writer.hpp"

namespace {

using namespace comity::record;

void record_rank(const comity::os::Folder& folder, std::uint32_t rank) {
  Writer writer(folder, {.rank = rank, .ranks = 2, .node = rank}, kLeastBudget_bytes);
  writer.set_fact(kProgramFact, "sample");
  writer.set_fact(kHostFact, "host" + std::to_string(rank));
  Table table("calls", {{"function", ColumnKind::text}, {"count", ColumnKind::integer}, {"wait_s", ColumnKind::real}});
  table.add_row({"MPI_Send", std::int64_t{10 + rank}, 0.5 + rank});
  table.add_row({"MPI_Recv", std::int64_t{-3}, 0.25});
  writer.put_table(table);
  const SeriesRef memory = writer.series("memory_bytes");
  const SpansRef solve = writer.spans("main", "solve");
  for (std::int64_t i = 0; i < 1000; ++i) {
    writer.sample(memory, 10 * i, static_cast<double>(i % 100));
    writer.span(solve, 10 * i, 10 * i + 4);
  }
  if (rank == 0) writer.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_sample FOLDER\n", stderr);
    return 2;
  }
  try {
    const std::string path = argv[1];
    const comity::os::Folder folder(path);
    record_rank(folder, 0);
    record_rank(folder, 1);
    const std::string kept = rank_file_name(1);
    std::filesystem::copy_file(path + '/' + kept, path + "/kept");
    if (recover(path).ranks != 2) return 1;
    std::filesystem::rename(path + "/kept", path + '/' + kept);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
