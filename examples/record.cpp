// SPDX-License-Identifier: BSD-3-Clause
// Every table of a record, rank by rank, as lines to cut and sort:  record FOLDER
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <comity/record.hpp>

static void print_cell(const comity_record_column& column, std::size_t row) {
  switch (static_cast<comity::ColumnKind>(column.kind)) {
    case comity::ColumnKind::text:
      std::printf("\t%s=%s", column.name, column.texts[row]);
      break;
    case comity::ColumnKind::integer:
      std::printf("\t%s=%lld", column.name, static_cast<long long>(column.integers[row]));
      break;
    case comity::ColumnKind::real:
      std::printf("\t%s=%g", column.name, column.reals[row]);
      break;
  }
}

static void print_table(int rank, const comity::RecordTable& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::printf("%d\t%s", rank, table.name().data());
    for (const comity_record_column& column : table.columns()) print_cell(column, row);
    std::printf("\n");
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: record FOLDER\n");
    return 2;
  }
  try {
    const comity::Record record(argv[1], comity::Record::How::recover);  // also of a job that was killed
    for (const comity_record_entry& entry : record.ranks()) {
      const comity::RankRecord rank = record.load(entry.rank, comity::Record::Parts::fixed);
      for (const comity_record_table& table : rank.tables()) print_table(entry.rank, comity::RecordTable(table));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
