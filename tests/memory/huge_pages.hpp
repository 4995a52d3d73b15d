// SPDX-License-Identifier: BSD-3-Clause
// HugePages: pages of hugetlbfs for one test, added to those that the machine has and given back behind it. None where this user may not
// ask for them, or the machine has no room.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

namespace comity::memory {

class HugePages {
 public:
  explicit HugePages(int pages) : got_(change_by(pages)) {}
  ~HugePages() { (void)change_by(-got_); }
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

 private:
  static constexpr const char* kCount = "/proc/sys/vm/nr_hugepages";

  static int count() {
    int pages = 0;
    std::ifstream(kCount) >> pages;
    return pages;
  }

  // By how many there are more then. One test at a time: others add theirs to what they read.
  static int change_by(int pages) {
    const int lock = ::open(kCount, O_RDONLY | O_CLOEXEC);
    if (lock < 0 || pages == 0) return 0;
    ::flock(lock, LOCK_EX);
    const int before = count();
    std::ofstream(kCount) << before + pages;
    const int more = count() - before;
    ::close(lock);
    return more;
  }

  int got_;
};

}  // namespace comity::memory
