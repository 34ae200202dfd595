"""What a box refuses: network, dangerous system calls, and sight of anything of ours."""

from __future__ import annotations

import socket

import pytest

from tests.contract.box_jobs import python

NETWORK = """
import socket
tried = {
    'tcp': lambda: socket.create_connection(('127.0.0.1', PORT), 2),
    'tcp abroad': lambda: socket.create_connection(('1.1.1.1', 53), 2),
    'tcp6': lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM),
    'dns': lambda: socket.getaddrinfo('example.org', 80),
    'raw': lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    'packet': lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    'netlink': lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    'vsock': lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),
    'alg': lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET),
    'docker': lambda: socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock'),
    'abstract': lambda: socket.socket(socket.AF_UNIX).connect('\\0gymwright-contract-test'),
    'path': lambda: socket.socket(socket.AF_UNIX).connect('PATH'),
}
reached = []
for name, how in tried.items():
    try: how(); reached.append(name)
    except OSError: pass
a, b = socket.socketpair()
a.send(b'x')
say('result', reached=reached, pair=b.recv(1).decode())
"""


async def test_no_network_and_no_socket_of_the_host_can_be_reached(driver, tmp_path):
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as path,
    ):
        abstract.bind("\0gymwright-contract-test")
        abstract.listen()
        place = tmp_path / "open.sock"
        path.bind(str(place))
        path.listen()
        place.chmod(0o777)
        source = NETWORK.replace("PORT", str(tcp.getsockname()[1])).replace("PATH", str(place))
        result = await driver.run(python(source))
    assert result.result == {"kind": "result", "reached": [], "pair": "x"}


CALLS = """
import ctypes, errno, os, platform
assert platform.machine() in ('x86_64', 'aarch64')
x86 = platform.machine() == 'x86_64'
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    return 'DONE' if done >= 0 else errno.errorcode[ctypes.get_errno()]
room = ctypes.create_string_buffer(4096)
NEW_USER, NEW_NET = 0x10000000, 0x40000000
found = {
    'io_uring_setup': call(425, 4, room),
    'memfd_create': call(319 if x86 else 279, room, 0),
    'execveat': call(322 if x86 else 281, -1, room, 0, 0, 0),
    'unshare user': call(272 if x86 else 97, NEW_USER),
    'unshare net': call(272 if x86 else 97, NEW_NET),
    'clone user': call(56 if x86 else 220, NEW_USER | 17, 0, 0, 0, 0),
    'setns': call(308 if x86 else 268, 0, 0),
    'mount': call(165 if x86 else 40, room, room, room, 0, 0),
    'fsopen': call(430, room, 0),
    'open_tree': call(428, -100, room, 0),
    'pivot_root': call(155 if x86 else 41, room, room),
    'chroot': call(161 if x86 else 51, b'/job'),
    'bpf': call(321 if x86 else 280, 0, room, 72),
    'add_key': call(248 if x86 else 217, b'user', b'name', room, 4, -2),
    'keyctl': call(250 if x86 else 219, 0, -3, 0),
    'request_key': call(249 if x86 else 218, b'user', b'name', 0, 0),
    'userfaultfd': call(323 if x86 else 282, 1),
    'perf_event_open': call(298 if x86 else 241, room, 0, -1, -1, 0),
    'ptrace': call(101 if x86 else 117, 0, 0, 0, 0),
    'process_vm_readv': call(310 if x86 else 270, os.getppid(), room, 1, room, 1, 0),
    'pidfd_getfd': call(438, 0, 0, 0),
    'kcmp': call(312 if x86 else 272, os.getpid(), os.getppid(), 0, 0, 0),
    'prlimit of the runner': call(302 if x86 else 261, os.getppid(), 7, 0, room),
    'open_by_handle_at': call(304 if x86 else 265, 0, room, 0),
    'kexec_load': call(246 if x86 else 104, 0, 0, 0, 0),
    'init_module': call(175 if x86 else 105, room, 0, room),
    'setuid root': 'DONE' if libc.setuid(0) == 0 else errno.errorcode[ctypes.get_errno()],
    'mknod': 'DONE' if libc.mknod(b'/job/tmp/dev', 0o60600, 0x800) == 0 else errno.errorcode[ctypes.get_errno()],
}
if x86: found |= {'modify_ldt': call(154, 0, room, 16), 'iopl': call(172, 3), 'ioperm': call(173, 0, 1, 1)}
clone3 = call(435, room, 64)
say('result', allowed={name: how for name, how in found.items() if how != 'EPERM'}, clone3=clone3)
"""


async def test_the_kernel_refuses_what_no_job_needs(driver, promised):
    promised("refuses_kernel_features")
    result = await driver.run(python(CALLS))
    assert result.result is not None, result.output
    allowed = result.result["allowed"]
    if not driver.capabilities.hides_host_files:
        allowed.pop("mknod", None)  # /job is not there: another refusal
    assert (allowed, result.result["clone3"]) == ({}, "ENOSYS")


SECRETS = """
import os
seen = [str(dict(os.environ))]
for folder in os.listdir('/proc'):
    if folder.isdecimal():
        for name in ('environ', 'cmdline'):
            try: seen.append(open(f'/proc/{folder}/{name}', 'rb').read().decode(errors='replace'))
            except OSError: pass
say('result', found='fish-in-the-well' in ' '.join(seen), uid=os.getuid(), names=sorted(os.environ))
"""


async def test_no_secret_of_ours_can_be_read(driver, promised, monkeypatch):
    promised("hides_host_files")
    monkeypatch.setenv("GYMWRIGHT_TEST_TOKEN", "fish-in-the-well")
    result = (await driver.run(python(SECRETS))).result
    assert result["found"] is False and result["uid"] != 0
    assert not [name for name in result["names"] if "TOKEN" in name or name.startswith("DOCKER")]


async def test_files_of_the_host_are_out_of_sight(driver, promised, tmp_path):
    promised("hides_host_files")
    (tmp_path / "secret").write_text("x")
    tmp_path.chmod(0o755)
    source = "import os; say('result', seen=[p for p in PLACES if os.path.exists(p)])"
    places = [str(tmp_path / "secret"), "/etc/shadow-", "/var/run/docker.sock", "/var/lib/docker", "/root/.ssh"]
    assert (await driver.run(python(source.replace("PLACES", repr(places))))).result["seen"] == []


async def test_the_work_is_alone_in_its_process_namespace(driver, promised):
    promised("hides_host_files")
    source = "import os; say('result', pids=sorted(int(n) for n in os.listdir('/proc') if n.isdecimal()))"
    pids = (await driver.run(python(source))).result["pids"]
    assert len(pids) == 2 and pids[0] == 1


async def test_the_work_holds_no_capability_and_can_gain_none(driver):
    source = """
lines = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
names = ('CapEff', 'CapPrm', 'CapInh', 'CapAmb', 'NoNewPrivs', 'Seccomp')
say('result', **{name: lines[name].strip() for name in names})
"""
    found = (await driver.run(python(source))).result
    assert {found[name] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {"0" * 16}
    assert (found["NoNewPrivs"], found["Seccomp"]) == ("1", "2")


@pytest.mark.docker
async def test_the_image_holds_no_setuid_program(docker):
    source = """
import os, stat
found = []
for folder, below, files in os.walk('/'):
    if folder in ('/proc', '/sys', '/dev'): below.clear(); continue
    for file in files:
        mode = os.lstat(os.path.join(folder, file)).st_mode
        if stat.S_ISREG(mode) and mode & 0o6000: found.append(os.path.join(folder, file))
say('result', found=found)
"""
    driver = await docker(warm=0, preload=())
    assert (await driver.run(python(source))).result["found"] == []


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", ".hidden", "", "a\x00b", "a\nb", "é"])
def test_names_that_are_not_plain_are_refused_before_any_box_is_started(name):
    with pytest.raises(ValueError, match="plain file name"):
        python("pass", take=(name,))
    with pytest.raises(ValueError, match="plain file name"):
        python("pass", files={name: b""})
