"""A filter of system calls that no namespace closes (https://docs.kernel.org/userspace-api/seccomp_filter.html)."""

import platform
import struct

# The numbers of refused calls on x86-64 and aarch64, from the kernel's unistd_64.h and unistd.h.
REFUSED = {
    "add_key": (248, 217),
    "io_uring_setup": (425, 425),  # it can open sockets, which no filter sees
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "pidfd_getfd": (438, 438),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "shmget": (29, 194),
}
SOCKET, MMAP = (41, 198), (9, 222)
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # the kernel's number of each
AF_UNIX, SHARED_AND_ANONYMOUS = 1, 0x21
NUMBER, MACHINE, FIRST, FOURTH = 0, 4, 16, 40  # where the kernel puts the call, and the arguments that matter
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, NOT_PERMITTED, KILL = 0x7FFF0000, 0x00050001, 0x80000000


def program(machine: str = platform.machine()) -> bytes:
    """Return the filter for a machine; empty for one whose numbers are not known here."""
    if machine not in MACHINES:
        return b""
    here = list(MACHINES).index(machine)
    # Each step: the instruction, how many steps to skip if it holds and if it does not, and its number.
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]  # calls of 32 bits
    steps += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, NOT_PERMITTED)]  # those of x32
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[here]), (RETURN, 0, 0, NOT_PERMITTED)]
    steps += [(EQUAL, 0, 4, SOCKET[here]), (LOAD, 0, 0, FIRST), (EQUAL, 0, 1, AF_UNIX), (RETURN, 0, 0, ALLOW)]
    steps += [(RETURN, 0, 0, NOT_PERMITTED)]
    steps += [(EQUAL, 0, 4, MMAP[here]), (LOAD, 0, 0, FOURTH), (AND, 0, 0, SHARED_AND_ANONYMOUS)]
    steps += [(EQUAL, 0, 1, SHARED_AND_ANONYMOUS), (RETURN, 0, 0, NOT_PERMITTED)]
    steps += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
