"""The runner's own system call filter, stacked on the engine's: classic BPF built with ctypes alone.

Docker 20.10's default profile lets io_uring, vsock, netlink and ptrace through; a local box has no
profile at all. The filter refuses what a reinforcement-learning job never needs.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Final

from kit.inside.hardening import PR_SET_NO_NEW_PRIVS, libc, prctl

# Names with their numbers on x86-64 and on arm64, None where it has no such call.
REFUSED: Final[dict[str, tuple[int, int | None]]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "execveat": (322, 281),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
}
_MACHINES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_SOCKET, _SOCKETPAIR, _CONNECT = (41, 198), (53, 199), (42, 203)
_CLONE, _CLONE3, _PRLIMIT, _SECCOMP = (56, 220), (435, 435), (302, 261), (317, 277)
_CLONE_NEW: Final = 0x7E020080  # every CLONE_NEW* flag
_AF_UNIX: Final = 1

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


def install(refuse_connect: bool = False) -> None:
    """Filter this process and all that come from it, for good; OSError where the kernel refuses.

    refuse_connect: also refuse connect(), for a box that shares its host's Unix sockets.
    """
    program = _assembled(refuse_connect)
    buffer = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    filled = Program(len(program), ctypes.cast(buffer, ctypes.c_void_p))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    which, _ = _MACHINES[platform.machine()]
    set_filter, every_thread = 1, 1
    if libc.syscall(ctypes.c_long(_SECCOMP[which]), set_filter, every_thread, ctypes.byref(filled)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _assembled(refuse_connect: bool) -> list[tuple[int, int, int, int]]:
    if platform.machine() not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no filter is written for {platform.machine()}")
    which, arch = _MACHINES[platform.machine()]
    refuse = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    program = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_JUMP_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL),  # a 32-bit call would slip past every number below
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if which == 0:  # the x32 numbers are another way in
        program += [(_JUMP_GREATER_EQUAL, 0, 1, 0x40000000), refuse]
    for numbers in [*REFUSED.values(), *([_CONNECT] if refuse_connect else [])]:
        number = numbers[which]
        if number is not None:
            program += [(_JUMP_EQUAL, 0, 1, number), refuse]
    # ENOSYS makes glibc fall back to clone(), whose flags a filter can read.
    program += [(_JUMP_EQUAL, 0, 1, _CLONE3[which]), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    program += _on_first_argument(_CLONE[which], (_JUMP_ANY_BIT, 0, 1, _CLONE_NEW))
    for family in (_SOCKET, _SOCKETPAIR):
        program += _on_first_argument(family[which], (_JUMP_EQUAL, 1, 0, _AF_UNIX))
    # Limits of oneself only: the runner has the same user.
    program += _on_first_argument(_PRLIMIT[which], (_JUMP_EQUAL, 1, 0, 0))
    program.append((_RETURN, 0, 0, _ALLOW))
    return program


def _on_first_argument(number: int, test: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """For one call: refuse by its first argument, else allow. `test` jumps 0 to refuse, 1 to allow."""
    return [
        (_JUMP_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        test,
        (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
