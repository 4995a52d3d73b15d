// SPDX-License-Identifier: BSD-3-Clause
// smaps of one mapping and its sum as kernels of several years write them: fields came, changed their order and their
// blanks. Each text has the same figures in the fields that its kernel has; the numbers are all different, so that none
// is taken for another.
#pragma once

#include <array>
#include <string_view>

namespace comity::os {

struct KernelText {
  std::string_view kernel;
  std::string_view smaps;
  std::string_view rollup;
  bool has_file_huge;  // FilePmdMapped
};

inline constexpr std::array kKernelTexts{
    KernelText{"4.18",
               R"(00400000-00452000 rw-p 0000a000 fd:01 8391745                            /opt/my model/bin/model
Size:                328 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                 101 kB
Pss:                 102 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
ProtectionKey:         0
VmFlags: rd wr mr mw me dw ac nr sd 
)",
               R"(00400000-7fff2e5bb000 ---p 00000000 00:00 0                              [rollup]
Rss:                 101 kB
Pss:                 102 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
)",
               false},
    KernelText{"5.4",
               R"(00400000-00452000 rw-p 0000a000 fd:01 8391745                            /opt/my model/bin/model
Size:                328 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                 101 kB
Pss:                 102 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
FilePmdMapped:        112 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
THPeligible:		0
VmFlags: rd wr mr mw me dw ac nr sd 
)",
               R"(00400000-7fff2e5bb000 ---p 00000000 00:00 0                              [rollup]
Rss:                 101 kB
Pss:                 102 kB
Pss_Anon:            201 kB
Pss_File:            202 kB
Pss_Shmem:           203 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
FilePmdMapped:       112 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
)",
               true},
    KernelText{"6.18",
               R"(00400000-00452000 rw-p 0000a000 fd:01 8391745                            /opt/my model/bin/model
Size:                328 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                 101 kB
Pss:                 102 kB
Pss_Dirty:           204 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
KSM:                 205 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
FilePmdMapped:       112 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
THPeligible:           0
VmFlags: rd wr mr mw me dw ac nr sd 
)",
               R"(00400000-7fff2e5bb000 ---p 00000000 00:00 0                              [rollup]
Rss:                 101 kB
Pss:                 102 kB
Pss_Dirty:           204 kB
Pss_Anon:            201 kB
Pss_File:            202 kB
Pss_Shmem:           203 kB
Shared_Clean:        103 kB
Shared_Dirty:        104 kB
Private_Clean:       105 kB
Private_Dirty:       106 kB
Referenced:          107 kB
Anonymous:           108 kB
KSM:                 205 kB
LazyFree:            109 kB
AnonHugePages:       110 kB
ShmemPmdMapped:      111 kB
FilePmdMapped:       112 kB
Shared_Hugetlb:      113 kB
Private_Hugetlb:     114 kB
Swap:                115 kB
SwapPss:             116 kB
Locked:              117 kB
)",
               true},
};

}  // namespace comity::os
