! SPDX-License-Identifier: BSD-3-Clause
! One process without MPI: texts, sets, regions, optional ierr, and who frees a context.
module one_rank_job
  use, intrinsic :: iso_c_binding
  use comity_without_mpi
  implicit none

contains

  function gather(self, mine, all, block_bytes) bind(C) result(status)
    type(c_ptr), value :: self, mine, all
    integer(c_size_t), value :: block_bytes
    integer(c_int) :: status
    character(kind=c_char), pointer :: from(:), to(:)
    call c_f_pointer(mine, from, [block_bytes])
    call c_f_pointer(all, to, [block_bytes])
    to = from
    status = merge(COMITY_OK, COMITY_ERR_INTERNAL, .not. c_associated(self))
  end function gather

  function same(self, mine, result) bind(C) result(status)
    type(c_ptr), value :: self
    integer(c_int64_t), value :: mine
    integer(c_int64_t), intent(out) :: result
    integer(c_int) :: status
    result = mine
    status = merge(COMITY_OK, COMITY_ERR_INTERNAL, .not. c_associated(self))
  end function same
end module one_rank_job

program alone_test
  use, intrinsic :: iso_c_binding
  use comity_without_mpi
  use expecting
  use one_rank_job
  implicit none
  integer, parameter :: many = 140  ! more than a node segment of one rank has room for
  type(comity_context) :: keeper  ! of the segment, which all others share
  type :: library
    type(comity_context) :: context
  end type library

  call texts_come_without_padding()
  call sets_are_read_and_written()
  call texts_take_the_places_of_others()
  call regions_take_fortran_names()
  call a_failure_leaves_results_alone()
  call the_machine_is_told()
  call comity_context_create_local(keeper)
  call a_scope_frees_what_it_made()
  call a_copy_frees_nothing()
  call what_holds_a_context_goes_by_the_same_rules()
  call a_second_create_frees_the_first()
  call a_c_handle_can_be_adopted()
  call callbacks_can_be_fortran()

contains

  subroutine texts_come_without_padding()
    call expect(comity_version() == COMITY_VERSION_STRING, 'the library has the version of the headers')
    call expect(len(comity_version()) == len(COMITY_VERSION_STRING), 'a version is as long as its text')
    call expect(comity_status_name(COMITY_ERR_RANGE) == 'COMITY_ERR_RANGE', 'the name of a code')
    call expect(comity_status_name(-7) == 'COMITY_ERR_?', 'the name of an unknown code')
    call expect(len(comity_status_text(COMITY_ERR_ORDER)) > 10, 'the sentence of a code')
    call expect(comity_type_name(COMITY_NUMA) == 'numa', 'the name of a kind')
    call expect(comity_last_error() == '', 'no failure yet')
    call comity_report_failure('mine  ')
    call expect(comity_last_error() == 'mine', 'a sentence that was set')
    call expect(len(comity_last_error()) == 4, 'a sentence without the blanks behind it')
    call comity_report_failure(repeat('x', 1000))
    call expect(comity_last_error() == repeat('x', 1000), 'a long sentence that was set')
  end subroutine texts_come_without_padding

  subroutine sets_are_read_and_written()
    type(comity_cpuset) :: set
    character(len=:), allocatable :: text
    integer :: code, count
    call comity_cpuset_string(set, COMITY_FORM_LIST, text)
    call expect(text == '', 'a set begins empty')
    call comity_cpuset_parse('0-2,64 ', set)
    call expect(set%words(0) == 7 .and. set%words(1) == 1, 'bit b of words(w) is PU 64 w + b')
    call comity_cpuset_count(set, count)
    call expect(count == 4, 'the PUs of a set')
    call comity_cpuset_string(set, COMITY_FORM_HEX, text)
    call expect(text == '0x10000000000000007', 'a mask as text: ' // text)
    call comity_cpuset_string(set, COMITY_FORM_LIST, text, code)
    call expect(code == COMITY_OK .and. text == '0-2,64' .and. len(text) == 6, 'a list as text: ' // text)
    call comity_cpuset_parse('1-', set, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_cpuset_parse')
    call expect(set%words(0) == 7, 'a broken text leaves the set')
    call comity_cpuset_string(set, 5, text, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_cpuset_string')
    call expect(text == '0-2,64', 'a text stays on failure')
    call comity_cpuset_parse(wide_list(), set)
    call comity_cpuset_string(set, COMITY_FORM_LIST, text)
    call expect(text == wide_list(), 'a text of thousands of letters goes both ways')
  end subroutine sets_are_read_and_written

  !> As long as the one before, shorter and longer; a few letters, more, and more than there is room for at first.
  subroutine texts_take_the_places_of_others()
    character(len=8000) :: lists(10)
    character(len=:), allocatable :: text
    type(comity_cpuset) :: set
    integer :: i
    lists(1:4) = ['7  ', '9  ', '0-3', '1-4']
    lists(5:6) = ['0,2,4,6,8,10,12', '1,3,5,7,9,11,13']
    lists(7:8) = ['0,2,4,6,8,10,12,14,16,18', '1,3,5,7,9,11,13,15,17,19']
    lists(9) = wide_list()
    lists(10) = '5'
    do i = 1, size(lists)
      call comity_cpuset_parse(trim(lists(i)), set)
      call comity_cpuset_string(set, COMITY_FORM_LIST, text)
      call expect(text == trim(lists(i)) .and. len(text) == len_trim(lists(i)), 'a text in the place of another: ' // text)
    end do
  end subroutine texts_take_the_places_of_others

  function wide_list() result(text)
    character(len=:), allocatable :: text
    character(len=5) :: number
    integer :: i
    text = '0'
    do i = 2, COMITY_CPUSET_CAPACITY - 1, 2
      write (number, '(i0)') i
      text = text // ',' // trim(number)
    end do
  end function wide_list

  subroutine regions_take_fortran_names()
    integer :: code
    character(len=20) :: padded = 'solve'
    call comity_region_begin(padded)
    call comity_region_end()
    call comity_region_end(code)
    call expect_code(code, COMITY_ERR_ORDER, 'comity_region_end')
    call comity_region_begin('a/b', code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_region_begin')
    call comity_region_begin('   ', code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_region_begin of blanks')
    call comity_region_begin(repeat('x', 255), code)
    call expect_code(code, COMITY_OK, 'comity_region_begin of 255 letters')
    call comity_region_end()
    call comity_region_begin(repeat('x', 256), code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_region_begin of 256 letters')
    call comity_region_begin(repeat('x', 5000), code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_region_begin of 5000 letters')
    call comity_start_counted(0, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_start_counted')
  end subroutine regions_take_fortran_names

  subroutine a_failure_leaves_results_alone()
    type(comity_context) :: context
    integer :: code, count
    logical :: bound
    count = -5
    bound = .true.
    call comity_context_count(context, COMITY_CORE, count, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a query of a variable that holds no context')
    call expect(count == -5, 'a count stays on failure')
    call context%is_bound(bound, code)
    call expect(code == COMITY_ERR_ARGUMENT .and. bound, 'a logical stays on failure')
    call comity_context_free(context, code)
    call expect_code(code, COMITY_OK, 'comity_context_free of a variable that holds none')
  end subroutine a_failure_leaves_results_alone

  subroutine the_machine_is_told()
    type(comity_context) :: context
    type(comity_core_kind) :: kind
    type(comity_device) :: device
    integer(c_int64_t) :: bytes
    integer :: code, count, memory_kind
    call comity_context_create_local(context)
    memory_kind = -1
    call context%memory(0, kind=memory_kind)
    call context%memory(0, bytes)
    call expect(memory_kind >= COMITY_MEMORY_DRAM .and. bytes >= 0, 'memory of the first NUMA node, each result alone')
    call context%cache_bytes(COMITY_CORE, 0, bytes, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'cache_bytes of a core')
    call context%core_kind_count(count)
    kind%name = 'untouched'
    call context%core_kind(count, kind, code)
    call expect(code == COMITY_ERR_RANGE .or. code == COMITY_ERR_NOT_FOUND, 'there is no kind after the last')
    call expect(kind%name == 'untouched', 'a type stays on failure')
    if (count > 0) call context%core_kind(count - 1, kind)
    call expect(count == 0 .or. kind%name /= 'untouched', 'a shorter text leaves nothing of a longer one')
    call expect(index(kind%name, c_null_char) == 0, 'blanks fill up the text of a kind')
    call context%device_count(COMITY_NIC, count)
    call context%device(COMITY_NIC, count, device, code)
    call expect(code == COMITY_ERR_RANGE .or. code == COMITY_ERR_NOT_FOUND, 'there is no device after the last')
    if (count > 0) call expect_a_nic(context)
    call context%devices_near(COMITY_NIC, COMITY_MACHINE, 0, count=count)
    call expect(count >= 0, 'devices near the machine are counted')
  end subroutine the_machine_is_told

  subroutine expect_a_nic(context)
    type(comity_context), intent(in) :: context
    type(comity_device) :: device
    call context%device(COMITY_NIC, 0, device)
    call expect(len_trim(device%name) > 0, 'a device has a name')
    call expect(index(device%name // device%other_names // device%vendor // device%model // device%unique_id // device%pci, &
                      c_null_char) == 0, 'blanks fill up all its texts')
    call expect(index(trim(device%name), ' ') == 0, 'nothing is left behind a name')
    call expect(device%vendor_id >= 0 .and. device%package >= -1, 'numbers of a device')
  end subroutine expect_a_nic

  subroutine a_scope_frees_what_it_made()
    integer :: i
    do i = 1, many
      call make_in_a_scope()
    end do
    do i = 1, many
      call make_by_allocation()
    end do
  end subroutine a_scope_frees_what_it_made

  subroutine make_in_a_scope()
    type(comity_context) :: context
    call comity_context_create_local(context)
  end subroutine make_in_a_scope

  subroutine make_by_allocation()
    type(comity_context), allocatable :: contexts(:)
    integer :: i
    allocate (contexts(2))
    do i = 1, 2
      call contexts(i)%create_local()
    end do
  end subroutine make_by_allocation

  subroutine a_copy_frees_nothing()
    type(comity_context) :: owner
    integer :: size, code
    call owner%create_local()
    call copy_and_end(owner)
    size = 0
    call owner%size(size)
    call expect(size == 1, 'the owner works after its copy has ended')
    owner = owner
    call owner%size(size, code)
    call expect_code(code, COMITY_OK, 'an owner that was assigned to itself')
  end subroutine a_copy_frees_nothing

  subroutine copy_and_end(owner)
    type(comity_context), intent(in) :: owner
    type(comity_context) :: copy, second
    integer :: size, code
    copy = owner
    second = comity_context_c2f(owner%f2c())
    call expect(c_associated(copy%f2c(), owner%f2c()), 'a copy is the same context')
    call second%size(size)
    call second%create_local()
    call expect(.not. c_associated(second%f2c(), owner%f2c()), 'a copy that is created anew is another context')
    second = owner
    call second%depth(size, code)
    call expect_code(code, COMITY_OK, 'a copy over an own context')
  end subroutine copy_and_end

  subroutine what_holds_a_context_goes_by_the_same_rules()
    type(library) :: owner
    integer :: size, code, i
    call owner%context%create_local()
    do i = 1, many
      call copy_a_library(owner)
    end do
    call owner%context%size(size, code)
    call expect_code(code, COMITY_OK, 'the owner in a type that was copied')
  end subroutine what_holds_a_context_goes_by_the_same_rules

  subroutine copy_a_library(owner)
    type(library), intent(in) :: owner
    type(library) :: copy, other
    copy = owner
    call expect(c_associated(copy%context%f2c(), owner%context%f2c()), 'a copy has the same context')
    call other%context%create_local()
  end subroutine copy_a_library

  subroutine a_second_create_frees_the_first()
    type(comity_context) :: context
    integer :: i
    do i = 1, many
      call context%create_local()
    end do
    call context%free()
    call expect(.not. c_associated(context%f2c()), 'a freed variable holds none')
  end subroutine a_second_create_frees_the_first

  subroutine a_c_handle_can_be_adopted()
    type(comity_context) :: adopter
    type(c_ptr) :: handle
    interface
      function create_in_c(handle) bind(C, name='comity_context_create_local') result(status)
        import :: c_int, c_ptr
        type(c_ptr), intent(out) :: handle
        integer(c_int) :: status
      end function create_in_c
    end interface
    integer :: i
    do i = 1, many
      call expect_code(create_in_c(handle), COMITY_OK, 'comity_context_create_local in C')
      call adopter%adopt(handle)
    end do
  end subroutine a_c_handle_can_be_adopted

  subroutine callbacks_can_be_fortran()
    type(comity_context) :: context
    type(comity_bootstrap) :: job
    integer :: size, code
    job%job_size = 1
    job%candidate_size = 1
    call comity_context_create_with(job, context, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'comity_context_create_with without callbacks')
    job%candidate_gather = c_funloc(gather)
    job%job_max = c_funloc(same)
    job%job_sum = c_funloc(same)
    call comity_context_create_with(job, context)
    call context%size(size)
    call expect(size == 1, 'a job of one rank')
  end subroutine callbacks_can_be_fortran
end program alone_test
