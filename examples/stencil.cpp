// SPDX-License-Identifier: BSD-3-Clause
// One stencil on a plane, its threads sharing the rank's box in two ways: by the rows of a loop, and by boxes of their
// own that are cut into cache blocks. Ranks are a grid in an order that fits the machine. Both ways give the same
// numbers.
//   mpirun -n 4 stencil [cells of a side] [steps]
// Source: 002_... 3.1.2: thread-level decomposition "must be performed by the application".
#include <omp.h>

#include <comity/comity_mpi.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t kBlock_cells = std::int64_t{16} * 1024;  // two fields of it fit into a level-2 cache

// The cells of a rank with a frame of one cell, which its neighbours fill.
struct Field {
  std::int64_t rows, columns;
  std::vector<double> cells;

  Field(std::int64_t rows_, std::int64_t columns_)
      : rows(rows_), columns(columns_), cells(static_cast<std::size_t>((rows_ + 2) * (columns_ + 2)), 0.0) {}
  double& at(std::int64_t i, std::int64_t j) {
    return cells[static_cast<std::size_t>((i + 1) * (columns + 2) + j + 1)];
  }
};

void relax_row(Field& from, Field& to, std::int64_t i, std::int64_t first, std::int64_t end) {
  for (std::int64_t j = first; j < end; ++j) {
    to.at(i, j) = 0.25 * (from.at(i - 1, j) + from.at(i + 1, j) + from.at(i, j - 1) + from.at(i, j + 1));
  }
}

// Loop worksharing: each thread gets rows.
void relax_by_rows(Field& from, Field& to) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < from.rows; ++i) relax_row(from, to, i, 0, from.columns);
}

// Thread-level decomposition: each thread gets a box, and goes through it block by block.
void relax_by_boxes(Field& from, Field& to, const comity::Decomposition& boxes) {
  const std::int64_t threads = boxes.parts(0), blocks = boxes.parts(1);
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const comity::Box box = boxes.box({thread, block});
      for (std::int64_t i = box.first[0]; i < box.first[0] + box.extent[0]; ++i) {
        relax_row(from, to, i, box.first[1], box.first[1] + box.extent[1]);
      }
    }
  }
}

// Two lines of the field change hands: the one inside goes `to`, the one in the frame comes `from`.
void shift(MPI_Comm grid, MPI_Datatype line, double* inside, int to, double* frame, int from) {
  MPI_Sendrecv(inside, 1, line, to, 0, frame, 1, line, from, 0, grid, MPI_STATUS_IGNORE);
}

class Halo {
 public:
  Halo(MPI_Comm grid, const Field& field) : grid_(grid) {
    MPI_Cart_shift(grid, 0, 1, &up_, &down_);
    MPI_Cart_shift(grid, 1, 1, &left_, &right_);
    MPI_Type_contiguous(static_cast<int>(field.columns), MPI_DOUBLE, &row_);
    MPI_Type_vector(static_cast<int>(field.rows), 1, static_cast<int>(field.columns + 2), MPI_DOUBLE, &column_);
    MPI_Type_commit(&row_);
    MPI_Type_commit(&column_);
  }
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  ~Halo() {
    MPI_Type_free(&row_);
    MPI_Type_free(&column_);
  }

  void exchange(Field& field) const {
    const std::int64_t bottom = field.rows - 1, right = field.columns - 1;
    shift(grid_, row_, &field.at(0, 0), up_, &field.at(bottom + 1, 0), down_);
    shift(grid_, row_, &field.at(bottom, 0), down_, &field.at(-1, 0), up_);
    shift(grid_, column_, &field.at(0, 0), left_, &field.at(0, right + 1), right_);
    shift(grid_, column_, &field.at(0, right), right_, &field.at(0, -1), left_);
  }

 private:
  MPI_Comm grid_;
  int up_ = MPI_PROC_NULL, down_ = MPI_PROC_NULL, left_ = MPI_PROC_NULL, right_ = MPI_PROC_NULL;
  MPI_Datatype row_ = MPI_DATATYPE_NULL, column_ = MPI_DATATYPE_NULL;
};

// The sum over the plane after some steps, from the same start whichever rank has which cells.
template <typename Relax>
double run(MPI_Comm grid, const comity::Box& mine, int steps, Relax&& relax) {
  Field now(mine.extent[0], mine.extent[1]), next(mine.extent[0], mine.extent[1]);
  for (std::int64_t i = 0; i < now.rows; ++i) {
    for (std::int64_t j = 0; j < now.columns; ++j) {
      now.at(i, j) = static_cast<double>((mine.first[0] + i) * 31 % 17 + (mine.first[1] + j) * 7 % 13);
    }
  }
  const Halo halo(grid, now);
  for (int step = 0; step < steps; ++step) {
    halo.exchange(now);
    relax(now, next);
    std::swap(now.cells, next.cells);
  }
  double sum = 0, all = 0;
  for (std::int64_t i = 0; i < now.rows; ++i) {
    for (std::int64_t j = 0; j < now.columns; ++j) sum += now.at(i, j);
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
  return all;
}

int compare(MPI_Comm grid, const comity::Box& mine, int steps) {
  const comity::Decomposition boxes(mine.extent,
                                    {comity::in_parts(omp_get_max_threads()), comity::in_cells(kBlock_cells)});
  const double rows_begin_s = MPI_Wtime();
  const double by_rows = run(grid, mine, steps, relax_by_rows);
  const double boxes_begin_s = MPI_Wtime();
  const double by_boxes = run(grid, mine, steps, [&](Field& from, Field& to) { relax_by_boxes(from, to, boxes); });
  const double end_s = MPI_Wtime();
  int rank = 0;
  MPI_Comm_rank(grid, &rank);
  if (rank == 0) {
    const std::vector<std::int32_t> threads = boxes.cuts(0), blocks = boxes.cuts(1);
    std::printf("rank 0: %ld x %ld cells, threads %d x %d, each %d x %d blocks\n", static_cast<long>(mine.extent[0]),
                static_cast<long>(mine.extent[1]), threads[0], threads[1], blocks[0], blocks[1]);
    std::printf("by rows  %.4f in %.3f s\nby boxes %.4f in %.3f s\n", by_rows, boxes_begin_s - rows_begin_s, by_boxes,
                end_s - boxes_begin_s);
  }
  return by_rows == by_boxes ? 0 : 1;
}

// Of the last order that was found: what crosses nodes and what is inside them, beside what no order has less of.
void tell_order() {
  for (const comity_place_figures& level : comity::figures_found()) {
    std::printf("level of type %d: %lld exchanges cross, before %lld, at least %lld\n", level.type,
                static_cast<long long>(level.sum), static_cast<long long>(level.before_sum),
                static_cast<long long>(level.bound_sum));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 400;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  int ranks = 1, rank = 0, status = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const comity::Decomposition plane({side, side}, {comity::in_parts(ranks)});
    MPI_Comm grid = comity::reordered_grid(MPI_COMM_WORLD, plane.cuts(0));
    MPI_Comm_rank(grid, &rank);
    if (rank == 0) tell_order();
    status = compare(grid, plane.box({rank}), steps);
    MPI_Comm_free(&grid);
  }
  MPI_Finalize();
  return status;
}
