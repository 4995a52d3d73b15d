! SPDX-License-Identifier: BSD-3-Clause
!> Comity for Fortran with the communicators of one MPI, of `use mpi` (an integer) and of `use mpi_f08` (type(MPI_Comm)) alike.
!> Conventions, kinds and everything else: module comity_without_mpi, which this one hands on.
module comity
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr
  use mpi_f08, only: MPI_Comm, MPI_Group
  use comity_without_mpi
  implicit none
  private :: c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr, MPI_Comm, MPI_Group
  private :: create, create_f08, divide, divide_f08, sharers_of, sharers_of_f08, c_create, c_divide, c_sharers
  private :: cart_create, cart_create_f08, graph_create, graph_create_f08, c_cart, c_graph, objective_or_worst

  !> Create a context on any intra-communicator. A failure of one rank fails all with the same code. Under
  !>  MPI_THREAD_MULTIPLE threads of a process may create at once, in any order, each on a communicator of its own. A
  !>  rank that has ended is told within a second where the launcher lets the others go on, to ranks of other nodes by those
  !>  of its own. In the first create on a communicator it is told over that communicator itself, in messages of 24 bytes with
  !>  the tag MPI_TAG_UB, so have none such of your own under way meanwhile. After a death inside MPI_Comm_idup, which the first
  !>  create on a communicator calls once, Open MPI makes no communicators any more: save what you have, and end.
  !>  Waited for in MPI, for good, is who has ended where nobody can tell: on a node that has no rank left; on one whose
  !>  launcher does not show its ranks (comity_launched_ranks: COMITY_ERR_UNSUPPORTED); and in a first create on a
  !>  communicator of some ranks of a job on several nodes, one that had ended before a rank of its node looked for the
  !>  first time.
  !>  @param communicator [MPI handle] integer or type(MPI_Comm); not MPI_COMM_NULL, not an inter-communicator. The first create
  !>  on it keeps a duplicate with it, as an attribute, until it is freed or MPI finalised; later ones send less for that.
  !>  @param context [handle, out] untouched on failure; what it owned before is freed.
  !>  @param ierr [code, out] may be absent: a failure then ends the program with its sentence.
  !>  @return in ierr: COMITY_OK; COMITY_ERR_MPI: MPI is not initialised or is finalised, a bad communicator, or an MPI error;
  !>  COMITY_ERR_TOPOLOGY; COMITY_ERR_VERSION; COMITY_ERR_OPTION; COMITY_ERR_SYSTEM; COMITY_ERR_PEER_LOST; COMITY_ERR_MEMORY:
  !>  also as in comity_context_create_local.
  !>  Call from: one thread a rank and communicator, that may call MPI. Blocks: yes. Collective: over the communicator.
  !>  Owns: the variable, before MPI_Finalize or after. Since: 0.1. Source: 000_... III.A.
  interface comity_context_create  ! (communicator, context, ierr)
    procedure :: create, create_f08
  end interface comity_context_create

  !> Divide a communicator into the ranks that share an object: those of one node whose bindings lie inside one object of
  !>  the kind, in the order of their ranks. With COMITY_MACHINE it is the communicator of the node. It begins with a
  !>  comity_context_refresh: the bindings, and what the cgroup allows, are those of now.
  !>  @param context [handle] its ranks are those of the communicator.
  !>  @param communicator [MPI handle] integer or type(MPI_Comm); the one that the context was created on, or another of the
  !>  same ranks.
  !>  @param type [enum] the same on all ranks.
  !>  @param shared [MPI handle, out] of the same kind; MPI_COMM_NULL where no single object encloses my binding; untouched on
  !>  failure.
  !>  @param ierr [code, out] may be absent: a failure then ends the program with its sentence.
  !>  @return in ierr: COMITY_OK; COMITY_ERR_NOT_FOUND: a node lacks such objects; COMITY_ERR_MEMORY: out of memory on a rank;
  !>  both on all ranks, and where they fail with different codes the larger one; COMITY_ERR_MPI: as in comity_context_create;
  !>  COMITY_ERR_PEER_LOST: a rank is dead, which the others learn, or wait for it for good, as in comity_context_create; and
  !>  for good for one that dies inside MPI_Comm_create_group, the last step where not all ranks share an object, which
  !>  comity_context_sharers does without; COMITY_ERR_SYSTEM: as in comity_context_refresh; COMITY_ERR_HANDLE,
  !>  COMITY_ERR_ARGUMENT: on this rank alone where the handle is bad, which leaves the others waiting.
  !>  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees
  !>  the communicator. Since: 0.1. Source: 003_... 3.3.5.
  interface comity_context_communicator  ! (context, communicator, type, shared, ierr)
    procedure :: divide, divide_f08
  end interface comity_context_communicator

  !> Tell the ranks that share an object, as comity_context_communicator divides them, without a communicator of their own yet.
  !>  They make one when they need it, by MPI_Comm_create_group(all, sharers, tag, &made), which is collective over them
  !>  alone. So this call makes none of MPI that cannot be left while it waits for a rank that has ended.
  !>  @param context [handle] as in comity_context_communicator.
  !>  @param communicator [MPI handle] as there, integer or type(MPI_Comm); it may be freed afterwards.
  !>  @param type [enum] the same on all ranks.
  !>  @param all [MPI handle, out] of the same kind, a duplicate of the communicator; untouched on failure.
  !>  @param sharers [MPI handle, out] integer or type(MPI_Group), a group of ranks of it, in their order, with mine;
  !>  MPI_GROUP_EMPTY where no single object encloses my binding; untouched on failure.
  !>  @param ierr [code, out] may be absent: a failure then ends the program with its sentence.
  !>  @return in ierr: as comity_context_communicator; COMITY_ERR_PEER_LOST: wherever in the call the rank has died; it is
  !>  waited for for good only as in comity_context_create.
  !>  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees
  !>  both, the duplicate on all ranks. Since: 0.1. Source: 003_... 3.3.5.
  interface comity_context_sharers  ! (context, communicator, type, all, sharers, ierr)
    procedure :: sharers_of, sharers_of_f08
  end interface comity_context_sharers

  !> A communicator of the same processes with a Cartesian grid, as MPI_Cart_create makes one, in an order in which neighbours of
  !>  the grid are close (comity_place_grid): the reordering that MPI allows there. Where each process sits is looked up anew.
  !>  Never worse by the objective than the order of `communicator`; equal seats and grids give equal orders. Rank 0 does the work
  !>  while the others sleep; its settings count (comity_place_grid). comity_place_found tells each rank how good the order is.
  !>  @param communicator [MPI handle] integer or type(MPI_Comm); not MPI_COMM_NULL, not an inter-communicator.
  !>  @param dimensions [dimensions] at least 1.
  !>  @param extents [ranks, array of dimensions] at most COMITY_PLACE_DIMENSIONS of them above 1; all together at most the size of
  !>  the communicator.
  !>  @param periodic [logical, array of dimensions] the dimension closes to a ring; may be absent: none does.
  !>  @param halo [weight, array of dimensions] 1 .. 10^9: what neighbours in each dimension exchange; may be absent: 1 each.
  !>  @param objective [enum] what is to be small; the same on all ranks; COMITY_PLACE_WORST where absent.
  !>  @param cart [MPI handle, out] of the same kind; MPI_COMM_NULL for processes that a smaller grid leaves out; untouched on
  !>  failure.
  !>  @param ierr [code, out] may be absent: a failure then ends the program with its sentence.
  !>  @return in ierr: COMITY_OK; COMITY_ERR_RANGE: a number, or more cells than ranks;
  !>  COMITY_ERR_ARGUMENT: no such objective, or ranks that pass different grids or objectives; COMITY_ERR_MEMORY;
  !>  COMITY_ERR_MPI; COMITY_ERR_OPTION: a setting; the others of comity_context_create. A failure of one rank fails all, and where
  !>  they fail with different codes each gets the largest.
  !>  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees
  !>  the communicator. Since: 0.1. Source: 002_... 3.1.1.
  interface comity_place_cart_create  ! (communicator, dimensions, extents, periodic, halo, objective, cart, ierr)
    procedure :: cart_create, cart_create_f08
  end interface comity_place_cart_create

  !> The same for any graph, of which each rank names the edges that it likes, as for MPI_Dist_graph_create: all together are
  !>  the graph. The new communicator has them as its distributed graph, directed as they are named; for the order an exchange is
  !>  one whichever way it goes, and two ranks that several edges join exchange what these say together.
  !>  @param communicator [MPI handle] as in comity_place_cart_create.
  !>  @param edges [edges] that this rank names, 0 or more.
  !>  @param from [ranks, array of edges] where each begins.
  !>  @param to [ranks, array of edges] where it ends; another rank.
  !>  @param weights [weight, array of edges] at least 1; may be absent: 1 each; absent on all ranks or on none. The graph of the
  !>  communicator has them as default integers, larger ones as the largest.
  !>  @param objective [enum] what is to be small; the same on all ranks; COMITY_PLACE_WORST where absent.
  !>  @param graph [MPI handle, out] of the same kind; untouched on failure.
  !>  @param ierr [code, out] may be absent: a failure then ends the program with its sentence.
  !>  @return as comity_place_cart_create; COMITY_ERR_RANGE: also an end that is no rank; COMITY_ERR_ARGUMENT: also an edge that
  !>  joins a rank with itself.
  !>  Call from: one thread a rank, that may call MPI. Blocks: yes. Collective: over the communicator. Owns: the caller frees
  !>  the communicator. Since: 0.1. Source: 002_... 3.1.1.
  interface comity_place_graph_create  ! (communicator, edges, from, to, weights, objective, graph, ierr)
    procedure :: graph_create, graph_create_f08
  end interface comity_place_graph_create

  interface  ! communicators.c
    function c_create(communicator, context) bind(C, name='comity_fortran_create') result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: communicator
      type(c_ptr), intent(inout) :: context
      integer(c_int) :: status
    end function c_create
    function c_divide(context, communicator, type, shared) bind(C, name='comity_fortran_communicator') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: communicator
      integer(c_int), value :: type
      integer(c_int), intent(inout) :: shared
      integer(c_int) :: status
    end function c_divide
    function c_sharers(context, communicator, type, all, sharers) bind(C, name='comity_fortran_sharers') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: communicator
      integer(c_int), value :: type
      integer(c_int), intent(inout) :: all
      integer(c_int), intent(inout) :: sharers
      integer(c_int) :: status
    end function c_sharers
    function c_cart(communicator, dimensions, extents, periodic, halo, objective, cart) &
        bind(C, name='comity_fortran_cart') result(status)
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int), value :: communicator
      integer(c_int32_t), value :: dimensions
      integer(c_int32_t), intent(in) :: extents(*)
      integer(c_int32_t), intent(in) :: periodic(*)
      integer(c_int64_t), intent(in), optional :: halo(*)
      integer(c_int), value :: objective
      integer(c_int), intent(inout) :: cart
      integer(c_int) :: status
    end function c_cart
    function c_graph(communicator, edges, from, to, weights, objective, graph) bind(C, name='comity_fortran_graph') &
        result(status)
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int), value :: communicator
      integer(c_int64_t), value :: edges
      integer(c_int32_t), intent(in) :: from(*)
      integer(c_int32_t), intent(in) :: to(*)
      integer(c_int64_t), intent(in), optional :: weights(*)
      integer(c_int), value :: objective
      integer(c_int), intent(inout) :: graph
      integer(c_int) :: status
    end function c_graph
  end interface

contains

  subroutine create(communicator, context, ierr)
    integer, intent(in) :: communicator
    type(comity_context), intent(inout) :: context
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made
    integer(c_int) :: status
    made = c_null_ptr
    status = c_create(communicator, made)
    if (status == COMITY_OK) call comity_context_adopt(context, made)
    call comity_conclude(status, 'comity_context_create', ierr)
  end subroutine create

  subroutine create_f08(communicator, context, ierr)
    type(MPI_Comm), intent(in) :: communicator
    type(comity_context), intent(inout) :: context
    integer, intent(out), optional :: ierr
    call create(communicator%MPI_VAL, context, ierr)
  end subroutine create_f08

  subroutine divide(context, communicator, type, shared, ierr)
    class(comity_context), intent(in) :: context
    integer, intent(in) :: communicator
    integer(c_int), intent(in) :: type
    integer, intent(inout) :: shared
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_divide(comity_context_f2c(context), communicator, type, shared)
    call comity_conclude(status, 'comity_context_communicator', ierr)
  end subroutine divide

  subroutine divide_f08(context, communicator, type, shared, ierr)
    class(comity_context), intent(in) :: context
    type(MPI_Comm), intent(in) :: communicator
    integer(c_int), intent(in) :: type
    type(MPI_Comm), intent(inout) :: shared
    integer, intent(out), optional :: ierr
    call divide(context, communicator%MPI_VAL, type, shared%MPI_VAL, ierr)
  end subroutine divide_f08

  subroutine sharers_of(context, communicator, type, all, sharers, ierr)
    class(comity_context), intent(in) :: context
    integer, intent(in) :: communicator
    integer(c_int), intent(in) :: type
    integer, intent(inout) :: all
    integer, intent(inout) :: sharers
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_sharers(comity_context_f2c(context), communicator, type, all, sharers)
    call comity_conclude(status, 'comity_context_sharers', ierr)
  end subroutine sharers_of

  subroutine sharers_of_f08(context, communicator, type, all, sharers, ierr)
    class(comity_context), intent(in) :: context
    type(MPI_Comm), intent(in) :: communicator
    integer(c_int), intent(in) :: type
    type(MPI_Comm), intent(inout) :: all
    type(MPI_Group), intent(inout) :: sharers
    integer, intent(out), optional :: ierr
    call sharers_of(context, communicator%MPI_VAL, type, all%MPI_VAL, sharers%MPI_VAL, ierr)
  end subroutine sharers_of_f08

  ! As the procedures that are written from the headers: what an absent one stands for.
  integer(c_int) function objective_or_worst(objective) result(chosen)
    integer(c_int), intent(in), optional :: objective
    chosen = COMITY_PLACE_WORST
    if (present(objective)) chosen = objective
  end function objective_or_worst

  subroutine cart_create(communicator, dimensions, extents, periodic, halo, objective, cart, ierr)
    integer, intent(in) :: communicator
    integer(c_int32_t), intent(in) :: dimensions
    integer(c_int32_t), intent(in) :: extents(*)
    logical, intent(in), optional :: periodic(*)
    integer(c_int64_t), intent(in), optional :: halo(*)
    integer(c_int), intent(in), optional :: objective
    integer, intent(inout) :: cart
    integer, intent(out), optional :: ierr
    integer(c_int32_t) :: flags(max(dimensions, 0))
    integer(c_int) :: status
    flags = 0
    if (present(periodic)) flags = merge(1_c_int32_t, 0_c_int32_t, periodic(:size(flags)))
    status = c_cart(communicator, dimensions, extents, flags, halo, objective_or_worst(objective), cart)
    call comity_conclude(status, 'comity_place_cart_create', ierr)
  end subroutine cart_create

  subroutine cart_create_f08(communicator, dimensions, extents, periodic, halo, objective, cart, ierr)
    type(MPI_Comm), intent(in) :: communicator
    integer(c_int32_t), intent(in) :: dimensions
    integer(c_int32_t), intent(in) :: extents(*)
    logical, intent(in), optional :: periodic(*)
    integer(c_int64_t), intent(in), optional :: halo(*)
    integer(c_int), intent(in), optional :: objective
    type(MPI_Comm), intent(inout) :: cart
    integer, intent(out), optional :: ierr
    call cart_create(communicator%MPI_VAL, dimensions, extents, periodic, halo, objective, cart%MPI_VAL, ierr)
  end subroutine cart_create_f08

  subroutine graph_create(communicator, edges, from, to, weights, objective, graph, ierr)
    integer, intent(in) :: communicator
    integer(c_int64_t), intent(in) :: edges
    integer(c_int32_t), intent(in) :: from(*)
    integer(c_int32_t), intent(in) :: to(*)
    integer(c_int64_t), intent(in), optional :: weights(*)
    integer(c_int), intent(in), optional :: objective
    integer, intent(inout) :: graph
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_graph(communicator, edges, from, to, weights, objective_or_worst(objective), graph)
    call comity_conclude(status, 'comity_place_graph_create', ierr)
  end subroutine graph_create

  subroutine graph_create_f08(communicator, edges, from, to, weights, objective, graph, ierr)
    type(MPI_Comm), intent(in) :: communicator
    integer(c_int64_t), intent(in) :: edges
    integer(c_int32_t), intent(in) :: from(*)
    integer(c_int32_t), intent(in) :: to(*)
    integer(c_int64_t), intent(in), optional :: weights(*)
    integer(c_int), intent(in), optional :: objective
    type(MPI_Comm), intent(inout) :: graph
    integer, intent(out), optional :: ierr
    call graph_create(communicator%MPI_VAL, edges, from, to, weights, objective, graph%MPI_VAL, ierr)
  end subroutine graph_create_f08
end module comity
