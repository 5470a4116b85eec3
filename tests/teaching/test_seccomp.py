"""The filter of the sandbox: which of the kernel's calls a submission may make."""

import struct

import pytest

from bertlab_teaching.marking import seccomp

ALLOWED, REFUSED, KILLED = 0x7FFF0000, 0x00050001, 0x80000000
I386, X86_64, ARM, AARCH64 = 0x40000003, 0xC000003E, 0x40000028, 0xC00000B7
NETLINK, VSOCK, INET = 16, 40, 2


def answer(machine, kernels_name, number, *arguments):
    """Return what the kernel would do with a call, from the filter read step by step as it does."""
    data = struct.pack("<IIQ6Q", number, kernels_name, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("=HBBI", seccomp.program(machine)))
    place = value = 0
    while True:
        code, if_so, if_not, operand = steps[place]
        place += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x54:
            value &= operand
        elif code == 0x06:
            return operand
        else:
            place += if_so if {0x15: value == operand, 0x35: value >= operand}[code] else if_not


# The kernel's own numbers: of what is refused, of socket and of mmap.
@pytest.mark.parametrize(
    ("machine", "name", "other", "refused", "socket", "mmap"),
    [
        ("x86_64", X86_64, I386, [29, 101, 248, 249, 250, 310, 311, 319, 425, 438, 447], 41, 9),
        ("aarch64", AARCH64, ARM, [117, 194, 217, 218, 219, 270, 271, 279, 425, 438, 447], 198, 222),
    ],
)
def test_what_is_allowed_and_what_is_not(machine, name, other, refused, socket, mmap):
    assert [number for number in range(600) if answer(machine, name, number, 1) != ALLOWED] == refused
    assert {answer(machine, name, number) for number in refused} == {REFUSED}
    assert {answer(machine, name, socket, family) for family in (NETLINK, VSOCK, INET, 1 << 31)} == {REFUSED}
    for flags in (0x01, 0x02, 0x22, 0x20022, 0x03):  # shared or private files, and private memory
        assert answer(machine, name, mmap, 0, 4096, 3, flags) == ALLOWED
    for flags in (0x21, 0x23, 0x40021):  # memory that is shared, as children do, of whatever size its pages have
        assert answer(machine, name, mmap, 0, 4096, 3, flags) == REFUSED
    assert answer(machine, other, 20) == KILLED, "a call of another kind of program"


def test_calls_of_x32_are_refused_and_another_machine_has_no_filter():
    assert answer("x86_64", X86_64, 0x40000000 + 1) == REFUSED
    assert seccomp.program("riscv64") == b""
