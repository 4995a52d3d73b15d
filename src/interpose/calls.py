# SPDX-License-Identifier: BSD-3-Clause
"""What each MPI function does, as far as its name and the names of its arguments tell: the rows of functions.inc."""
import re

VARIADIC_WORDS = 5  # of integers and pointers, the registers that are left beside one fixed argument

# The place of an argument by its name in the MPI standard; the first name that a function has counts.
PLACES = {
    "buffer": ("sendbuf", "buf", "buffer", "origin_addr"),
    "count": ("sendcount", "sendcounts", "count", "incount", "origin_count"),
    "type": ("sendtype", "sendtypes", "datatype", "type", "origin_datatype"),
    "other_buffer": ("recvbuf",),
    "other_count": ("recvcount", "recvcounts", "result_count"),
    "other_type": ("recvtype", "recvtypes", "result_datatype"),
    "to": ("dest", "target_rank"),
    "from": ("source",),
    "root": ("root",),
    "communicator": ("comm", "comm_old", "old_comm", "local_comm", "intercomm"),
    "window": ("win",),
    "status": ("status",),
    "made": ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintercomm", "newintracomm", "intercomm",
             "new_comm"),
    "request": ("request",),
    "requests": ("array_of_requests",),
    "statuses": ("array_of_statuses",),
    "message": ("message",),
    "flag": ("flag",),
    "index": ("index", "indx"),
    "indices": ("array_of_indices",),
    "found": ("outcount",),
    "level": ("level", "required"),
    "partitions": ("partitions",),
}

# The types that an argument has in its place; one of the same name that has another (MPI_Topo_test's status) means something else.
LARGE = {"MPI_Count", "const MPI_Count *"}
TYPES = {
    **dict.fromkeys(("buffer", "other_buffer"), {"void *", "const void *"}),
    **dict.fromkeys(("count", "other_count"), {"int", "const int *"} | LARGE),
    **dict.fromkeys(("type", "other_type"), {"MPI_Datatype", "const MPI_Datatype *"}),
    **dict.fromkeys(("to", "from", "root", "partitions"), {"int"}),
    **dict.fromkeys(("flag", "index", "indices", "found"), {"int *"}),
    **dict.fromkeys(("status", "statuses"), {"MPI_Status *"}),
    **dict.fromkeys(("request", "requests"), {"MPI_Request *"}),
    "communicator": {"MPI_Comm"}, "window": {"MPI_Win"}, "made": {"MPI_Comm *"}, "message": {"MPI_Message *"},
    "level": {"int", "const int"},
}

# Functions that move data, without the marks of their forms (I..., ..._c): the rule by which their bytes are counted.
RULES = {
    **dict.fromkeys(("Send", "Bsend", "Ssend", "Rsend"), "send"),
    "Recv": "receive", "Mrecv": "matched", "Mprobe": "match", "Psend": "send", "Precv": "partitioned",
    "Sendrecv": "exchange", "Sendrecv_replace": "exchange",
    "Bcast": "broadcast", "Reduce": "reduce",
    **dict.fromkeys(("Allreduce", "Scan", "Exscan"), "all"),
    "Gather": "gather", "Gatherv": "gather", "Scatter": "scatter", "Scatterv": "scatter",
    "Allgather": "allgather", "Allgatherv": "allgather",
    **dict.fromkeys(("Alltoall", "Alltoallv", "Alltoallw"), "alltoall"),
    "Reduce_scatter": "reduce_scatter", "Reduce_scatter_block": "reduce_scatter",
    "Neighbor_allgather": "neighbor_allgather", "Neighbor_allgatherv": "neighbor_allgather",
    **dict.fromkeys(("Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"), "neighbor_alltoall"),
    **dict.fromkeys(("Put", "Accumulate"), "put"), "Get": "get",
    **dict.fromkeys(("Get_accumulate", "Fetch_and_op", "Compare_and_swap"), "get_and_put"),
}
REQUESTS = {"MPI_Request_free": "free_request", "MPI_Start": "start", "MPI_Startall": "start"}
FREES = {"MPI_Comm_free": "free_communicator", "MPI_Comm_disconnect": "free_communicator", "MPI_Win_free": "free_window",
         "MPI_Type_free": "free_type"}

# Calls that make an object which the program has to free, by its kind; where its handle is written follows from the type.
# Left out: MPI_Type_get_contents, which gives several, and what MPI keeps itself (MPI_Comm_get_parent, types of Fortran's kinds).
MAKES = {
    "communicator": r"Comm_i?dup(_with_info)?|Comm_create(_group|_from_group)?|Comm_split(_type)?|Comm_accept|Comm_connect|Comm_join"
                    r"|Comm_spawn(_multiple)?|Cart_create|Cart_sub|Graph_create|Dist_graph_create(_adjacent)?"
                    r"|Intercomm_(create|create_from_groups|merge)",
    "group": r"(Comm|Comm_remote)_group|(Win|File)_get_group|Group_(union|intersection|difference|incl|excl|range_incl|range_excl"
             r"|from_session_pset)",
    "datatype": r"Type_(contiguous|h?vector|h?indexed|struct|dup|create_(?!f90|keyval)\w+)",
    "request": r"\w+_init",  # of those that persist
    "window": r"Win_create(_dynamic)?|Win_allocate(_shared)?",
    "file": r"File_open",
    "operation": r"Op_create",
    "info": r"Info_(create|dup|create_env)|(Comm|Win|File)_get_info",
    "keyval": r"(Comm|Type|Win)_create_keyval|Keyval_create",
    "error_handler": r"(Comm|Win|File|Session)_(create|get)_errhandler|Errhandler_(create|get)",
    "memory": r"Alloc_mem",
}
ENDS = {"communicator": r"Comm_(free|disconnect)", "group": r"Group_free", "datatype": r"Type_free", "request": r"Request_free",
        "window": r"Win_free", "file": r"File_close", "operation": r"Op_free", "info": r"Info_free",
        "keyval": r"(Comm|Type|Win)_free_keyval|Keyval_free", "error_handler": r"Errhandler_free", "memory": r"Free_mem"}
HANDLE_TYPES = {"communicator": "MPI_Comm *", "group": "MPI_Group *", "datatype": "MPI_Datatype *", "request": "MPI_Request *",
                "window": "MPI_Win *", "file": "MPI_File *", "operation": "MPI_Op *", "info": "MPI_Info *", "keyval": "int *",
                "error_handler": "MPI_Errhandler *", "memory": "void *"}

# Local calls that make or end no object and yet have the MPI keep more, or less.
KEEPS = re.compile(r"MPI_(Type_commit|Type_create_f90_\w+|Type_get_contents(_c)?|Info_(set|delete)|(Comm|Type|Win)_(set|delete)_attr|Attr_(put|delete)"
                   r"|(Comm|Type|Win)_set_name|(Comm|Win)_set_info|Buffer_attach(_c)?|Add_error_(class|code|string)|Grequest_start|Open_port|Publish_name"
                   r"|Register_datarep(_c)?)$")

POINT_TO_POINT = {"send": "send", "receive": "receive", "matched": "receive", "exchange": "exchange"}
ONE_SIDED = {"put", "get", "get_and_put"}
FILE_DATA = re.compile(r"MPI_File_i?(read|write)\w*")
FILE_COLLECTIVE = re.compile(r"MPI_File_(open|close|set_size|preallocate|set_view|set_info|set_atomicity|seek_shared|sync)$")
COMPLETION = re.compile(r"MPI_(Wait|Test)(all|any|some)?$")
# Waits until the messages of MPI_Bsend have left their buffer.
BUFFERED = re.compile(r"MPI_(Buffer_(detach|flush)|(Comm|Session)_(detach|flush)_buffer)(_c)?$")
PROBE = re.compile(r"MPI_(Probe|Iprobe|Mprobe|Improbe)$")
EPOCH = re.compile(r"MPI_Win_(fence|start|complete|post|wait|test|lock|lock_all|unlock|unlock_all|flush|flush_all|flush_local"
                   r"|flush_local_all|sync)$")
SETUP = re.compile(r"(_init(_c)?$)|MPI_P(send|recv)_init")
START = re.compile(r"MPI_(Start|Startall|Pready\w*)$")
# Collective calls that make or end something that its ranks share.
COLLECTIVE_MAKERS = re.compile(
    r"MPI_(Comm_(dup|idup|dup_with_info|idup_with_info|create|create_group|create_from_group|split|split_type|free"
    r"|disconnect|accept|connect|spawn|spawn_multiple|join)|Cart_create|Cart_sub|Graph_create"
    r"|Dist_graph_create|Dist_graph_create_adjacent|Intercomm_create|Intercomm_create_from_groups|Intercomm_merge"
    r"|Win_(create|create_dynamic|allocate|allocate_shared)(_c)?|Win_free)$")
# MPI makes no call of its own inside these, as tests/interpose/leaves_test reads in the libraries' code. Left out: MPI_Sendrecv and its
# forms, of which Open MPI's MPI_Sendrecv_replace calls MPI_Sendrecv; completions, which ask whoever has made a generalized request,
# MPICH's own input and output among them.
LEAF_KINDS = {"send", "receive", "probe", "start"}
LEAVES = re.compile(r"MPI_(Comm_rank|Comm_size|Comm_remote_size|Group_rank|Group_size|Wtime|Wtick|Get_count(_c)?"
                    r"|Get_elements(_x|_c)?|Type_size(_x|_c)?|Initialized|Finalized|Query_thread|Is_thread_main"
                    r"|Test_cancelled|Get_address|Aint_add|Aint_diff)$")
# Calls that may take no longer than a look at them, and those that meet requests, have code of their own; the others, most of several
# hundred, share theirs.
OWN_CODE = {"send", "receive", "exchange", "probe", "completion", "start"}
BEGIN = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}
END = {"MPI_Finalize", "MPI_Session_finalize", "MPI_Abort"}
# Returns at once although others of its kind wait.
AT_ONCE = re.compile(r"MPI_(Test(all|any|some)?|Win_(test|post|sync)|Comm_idup(_with_info)?|Abort|File_i\w+)$")


def forms(name):
    """(function without the marks of its forms, whether it is the nonblocking form): Ialltoallv_c -> Alltoallv, True."""
    short = re.sub(r"_c$", "", name.removeprefix("MPI_"))
    if short.removesuffix("_init") in RULES and short.endswith("_init"):
        return short.removesuffix("_init"), True
    if short in RULES:  # MPI_Rsend is no form of MPI_Send
        return short, False
    for mark in ("I", "R"):  # MPI_Isend, MPI_Rput
        plain = short[1:].capitalize()
        if short.startswith(mark) and (plain in RULES or plain in ("Barrier", "Probe", "Mprobe")):
            return plain, True
    return short, False


def rule_of(name):
    data = FILE_DATA.fullmatch(name)
    if data:  # split ones are written with their begin and read with their end
        return "none" if re.fullmatch(r"MPI_File_write\w*_end", name) else data.group(1)
    if COMPLETION.fullmatch(name):
        return "complete"
    return FREES.get(name) or REQUESTS.get(name) or RULES.get(forms(name)[0], "none")


def kind_of(name, rule):
    if name in BEGIN:
        return "begin"
    if name in END:
        return "end"
    if SETUP.search(name) and not name.startswith("MPI_T_"):
        return "setup"
    for pattern, kind in ((START, "start"), (COMPLETION, "completion"), (BUFFERED, "completion"), (PROBE, "probe"), (EPOCH, "epoch"),
                          (FILE_DATA, "file"), (FILE_COLLECTIVE, "file"), (COLLECTIVE_MAKERS, "maker")):
        if pattern.search(name):
            return kind
    if rule in POINT_TO_POINT:
        return POINT_TO_POINT[rule]
    if rule in ONE_SIDED:
        return "one_sided"
    if forms(name)[0] == "Barrier" or (rule not in ("none", "match") and not rule.startswith("free")):
        return "collective"
    return "local"


def has_own_code(name):
    rule = rule_of(name)
    return kind_of(name, rule) in OWN_CODE or rule == "free_request"


def object_of(name, kind, types):
    """What becomes of which object, and the place of its handle, as a field of the row; "": of none."""
    short = re.sub(r"_c$", "", name.removeprefix("MPI_"))
    for act, patterns in (("makes", MAKES), ("ends", ENDS)):
        for object_kind, pattern in patterns.items():
            if not re.fullmatch(pattern, short) or HANDLE_TYPES[object_kind] not in types:
                continue
            if (object_kind, act) == ("request", "makes") and kind != "setup":
                continue
            place = len(types) - 1 - types[::-1].index(HANDLE_TYPES[object_kind])
            return f", .object = {{ObjectKind::{object_kind}, ObjectAct::{act}, {place}}}"
    return ""


def keeps_memory(name, kind, use):
    """Of blocks of MPI_Alloc_mem, which may be large, memory tells by the clock."""
    makes_or_ends = bool(use) and "ObjectKind::memory" not in use
    return kind in ("local", "setup") and (makes_or_ends or bool(KEEPS.match(name)))


def places_of(name, rule, arguments, types):
    """{place: which argument it is}, of those that mean something here."""
    at = {}
    for place, names in PLACES.items():
        fitting = (i for word in names for i, argument in enumerate(arguments) if argument == word and types[i] in TYPES[place])
        found = next(fitting, None)
        if found is not None and (place, name) != ("request", "MPI_Cancel"):  # neither makes nor ends its request
            at[place] = found
    if rule == "partitioned" and "from" not in at and "to" in at:  # MPICH 4.0 calls the source dest
        at["from"] = at.pop("to")
    return at


def forms_of(at, types):
    """How counts and types are given, as fields of the row; "": counts are ints, and there is one for all ranks."""
    large = any(types[at[place]] in LARGE for place in ("count", "other_count") if place in at)
    each = [place for place in ("count", "other_count", "type") if place in at and types[at[place]].endswith("*")]
    return (", .large = true" if large else "") + (f", .each = {{{', '.join(f'.{place} = true' for place in each)}}}" if each else "")


def describe(name, arguments, types=()):
    rule = rule_of(name)
    kind = kind_of(name, rule)
    waits = kind not in ("local", "setup", "start", "one_sided")
    blocking = waits and not forms(name)[1] and not AT_ONCE.search(name)
    leaf = kind in LEAF_KINDS or bool(LEAVES.match(name))
    at = places_of(name, rule, arguments, types)
    places = ", ".join(f".{place} = {at[place]}" for place in PLACES if place in at)
    use = object_of(name, kind, list(types))
    keeps = ", .keeps = true" if keeps_memory(name, kind, use) else ""
    return (f'{{.name = "{name}", .kind = Kind::{kind}, .rule = Rule::{rule}, .blocking = {str(blocking).lower()}, '
            f'.leaf = {str(leaf).lower()}, .own_code = {str(has_own_code(name)).lower()}, .at = {{{places}}}{forms_of(at, types)}{keeps}{use}}}')
