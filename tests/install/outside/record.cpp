// SPDX-License-Identifier: BSD-3-Clause
// The tables of the record in a folder, by their number; and why there is none, where there is none.
#include <cstdio>

#include <comity/record.hpp>

int main(int argc, char** argv) {
  try {
    const comity::Record record(argc > 1 ? argv[1] : ".", comity::Record::How::recover);
    std::size_t tables = 0;
    for (const comity_record_entry& entry : record.ranks()) {
      const comity::RankRecord rank = record.load(entry.rank);
      tables += rank.tables().size();
    }
    std::printf("record: %zu tables\n", tables);
  } catch (const comity::Failure& failure) {
    std::printf("record: refused with %s\n", comity_status_name(failure.code()));
  }
  return 0;
}
