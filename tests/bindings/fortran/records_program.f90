! SPDX-License-Identifier: BSD-3-Clause
! Prints what a record has, for records_test.py.   records PATH
program records
  use, intrinsic :: iso_c_binding
  use comity_records
  use expecting
  implicit none
  type(c_ptr) :: record
  type(comity_record_job), pointer :: job
  type(comity_record_entry), pointer :: entries(:)
  type(comity_record_rank), pointer :: loaded
  character(len=4096) :: path
  integer :: i, code

  call get_command_argument(1, path)
  record = c_null_ptr
  call comity_record_open(path, COMITY_RECORD_WHOLE, record, code)
  if (code /= COMITY_OK) then
    print '(a)', comity_status_name(code) // ': ' // comity_last_error()
    stop
  end if
  call comity_record_describe(record, job)
  print '(a,i0,a,i0)', 'ranks ', job%entry_count, ' of ', job%job_ranks
  call expect(comity_text_at(job%index_damage) == '', 'the index was read')
  call expect(comity_text_at(c_null_ptr) == '', 'no text is an empty one')
  call c_f_pointer(job%entries, entries, [job%entry_count])
  do i = 1, size(entries)
    nullify (loaded)
    call comity_record_load(record, entries(i)%rank, COMITY_RECORD_ALL, loaded)
    print '(a,i0,a,i0,a,i0)', 'rank ', loaded%entry%rank, ' node ', loaded%entry%node, ' end ', loaded%entry%end
    call print_facts()
    call print_tables()
    call print_over_time()
    if (i == size(entries)) call comity_record_close(record)  ! what was loaded stays
    call comity_record_release(loaded)
    call expect(.not. associated(loaded), 'a rank that was released is not there')
  end do
  call expect(.not. c_associated(record), 'a record that was closed is not there')
  call comity_record_release(loaded, code)
  call expect_code(code, COMITY_ERR_ARGUMENT, 'the release of none')
  call comity_record_close(record, code)
  call expect(code /= COMITY_OK, 'a closed record is not closed again')

contains

  subroutine print_facts()
    type(comity_record_fact), pointer :: facts(:)
    integer :: j
    call c_f_pointer(loaded%facts, facts, [loaded%fact_count])
    do j = 1, size(facts)
      if (comity_text_at(facts(j)%key) == 'program') print '(a)', 'program ' // comity_text_at(facts(j)%value)
    end do
  end subroutine print_facts

  subroutine print_tables()
    type(comity_record_table), pointer :: tables(:)
    type(comity_record_column), pointer :: columns(:)
    integer :: j, k
    call c_f_pointer(loaded%tables, tables, [loaded%table_count])
    do j = 1, size(tables)
      call c_f_pointer(tables(j)%columns, columns, [tables(j)%column_count])
      do k = 1, size(columns)
        call print_column(comity_text_at(tables(j)%name), columns(k), tables(j)%rows)
      end do
    end do
  end subroutine print_tables

  subroutine print_column(table, column, rows)
    character(len=*), intent(in) :: table
    type(comity_record_column), intent(in) :: column
    integer(c_int64_t), intent(in) :: rows
    type(c_ptr), pointer :: texts(:)
    integer(c_int64_t), pointer :: integers(:)
    real(c_double), pointer :: reals(:)
    integer :: row
    do row = 1, int(rows)
      select case (column%kind)
      case (COMITY_RECORD_TEXT)
        call c_f_pointer(column%texts, texts, [rows])
        print '(a)', table // ' ' // comity_text_at(column%name) // ' ' // comity_text_at(texts(row))
      case (COMITY_RECORD_INTEGER)
        call c_f_pointer(column%integers, integers, [rows])
        print '(a,i0)', table // ' ' // comity_text_at(column%name) // ' ', integers(row)
      case (COMITY_RECORD_REAL)
        call c_f_pointer(column%reals, reals, [rows])
        print '(a,f4.2)', table // ' ' // comity_text_at(column%name) // ' ', reals(row)
      end select
    end do
  end subroutine print_column

  subroutine print_over_time()
    type(comity_record_series), pointer :: series(:)
    type(comity_record_sample), pointer :: samples(:)
    type(comity_record_spans), pointer :: spans(:)
    type(comity_record_span), pointer :: parts(:)
    integer(c_int64_t) :: time_ns
    call c_f_pointer(loaded%series, series, [loaded%series_count])
    call c_f_pointer(series(1)%samples, samples, [series(1)%sample_count])
    print '(a,i0,a,f4.1)', comity_text_at(series(1)%name) // ' ', sum(samples%count), ' up to ', maxval(samples%maximum)
    call c_f_pointer(loaded%spans, spans, [loaded%spans_count])
    call c_f_pointer(spans(1)%spans, parts, [spans(1)%span_count])
    print '(a,i0,a,i0,a)', comity_text_at(spans(1)%lane) // ' ' // comity_text_at(spans(1)%name) // ' ', sum(parts%count), ' of ', &
      maxval(parts%longest_ns), ' ns'
    time_ns = -1
    call comity_record_time(loaded, 1000_c_int64_t, time_ns)
    call expect(time_ns >= 0, 'a time has one on rank 0')
  end subroutine print_over_time
end program records
