// SPDX-License-Identifier: BSD-3-Clause
// A program of QUO's classes: built with mpicxx and the words of quo-info.
#include <quo.hpp>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const quo::Context context;
    const quo::BindGuard guard(context, quo::BindPushPolicy::OBJECT, quo::ObjectType::CORE);
    std::cout << "cpp: qid " << context.id() << " of " << context.nqids() << '\n';
  }
  MPI_Finalize();
  return 0;
}
