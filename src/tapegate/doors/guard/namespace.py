"""A Linux network namespace for one subject: nothing in it leads out, and everything tried in it is seen.

Only the loopback device exists, and a route makes every address local to it: a connection to anywhere stays inside,
where nobody listens but the gateway, the resolver and the subject itself. The kernel refuses all others at once.

The files that name resolution reads are replaced by ours, so that a name asked for is the name that is recorded
(search domains and the host's own `/etc/hosts` would change it), and the sockets of host services that resolve names
for others (nscd, systemd-resolved) are hidden: a Unix socket would pass a network namespace's border.

That is also its limit: other Unix sockets in the file system (Docker's, a D-Bus) stay reachable, as files do. On a
kernel without IPv6, attempts over IPv6 are stopped but not seen.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from contextlib import suppress

from tapegate.doors.guard.capture import open_capture

GATEWAY_PORT = 18400
"""Where the gateway listens inside. The port is fixed, so that what a subject says of it is the same in every run."""

SUBJECT_PORT = 18401
"""Where an HTTP subject is told to listen inside."""

HOSTNAME = "localhost"

IP_PKTINFO = 8
"""linux/in.h; Python names it from 3.14 on."""

_NEW_MOUNTS, _NEW_HOSTNAME, _NEW_USERS, _NEW_NETWORK = 0x00020000, 0x04000000, 0x10000000, 0x40000000
_PRIVATE, _RECURSIVE, _BIND = 1 << 18, 1 << 14, 1 << 12
_DETACH = 2
_NO_NEW_PRIVILEGES = 38
_SCRATCH = "/proc"
"""Any folder that is always there: a file system is mounted on it for a moment, unseen by anybody else."""

_HIDDEN = ("/run/systemd/resolve", "/run/nscd", "/var/run/nscd")
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
_RESOLVER = "nameserver 127.0.0.1\noptions ndots:1 timeout:2 attempts:2\n"

_libc = ctypes.CDLL(None, use_errno=True)


def enter(become: tuple[int, int, list[int]] | None = None) -> tuple[socket.socket, socket.socket, socket.socket]:
    """Move this single-threaded process into a namespace of its own, and open there what the harness needs.

    Returns the gateway's socket, listening on 127.0.0.1 at GATEWAY_PORT; the resolver's, a datagram socket at port 53
    of every IPv4 address; and the capture, which sees what is sent.

    `become` (uid, gid, groups) is for a launcher started through sudo: it gives up root for that user when all is
    done. Raises OSError, whose `filename` names the step that the kernel refused.
    """
    _unshare(own_users=become is None)
    _mount(None, "/", None, _PRIVATE | _RECURSIVE)
    _own_names()
    with _step("loopback device"):
        _loopback_up()
        _route_everything_to_loopback(socket.AF_INET)
    with suppress(OSError):  # a kernel without IPv6: there nothing can be sent over it either
        _route_everything_to_loopback(socket.AF_INET6)
    with _step("packet socket"):
        capture = open_capture()
    with _step("sockets inside"):
        gateway = socket.create_server(("127.0.0.1", GATEWAY_PORT), backlog=512)
        resolver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        resolver.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
        resolver.bind(("", 53))
    if become is not None:
        with _step("change of user"):
            uid, gid, groups = become
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
    # Without this, sudo inside would be a way out wherever it asks for no password.
    _checked("no_new_privs", _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    return gateway, resolver, capture


def _unshare(*, own_users: bool) -> None:
    flags = _NEW_NETWORK | _NEW_MOUNTS | _NEW_HOSTNAME
    if not own_users:
        return _checked("unshare", _libc.unshare(flags))
    if os.geteuid() != 0:
        uid, gid = os.geteuid(), os.getegid()
        _checked("unshare", _libc.unshare(flags | _NEW_USERS))
        with _step("user map"):
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{uid} {uid} 1")
            _write("/proc/self/gid_map", f"{gid} {gid} 1")
        return None
    # Root takes a user namespace too where it can: root of the machine could walk out of a network namespace alone.
    # All users are mapped to themselves, so that files keep their owners; only a process outside may write such a map.
    go, ready = os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(ready)
        os._exit(_map_users(me) if os.read(go, 1) else 1)
    os.close(go)
    refused = _libc.unshare(flags | _NEW_USERS) != 0
    os.write(ready, b"" if refused else b"+")
    os.close(ready)
    _, status = os.waitpid(helper, 0)
    if refused:
        return _checked("unshare", _libc.unshare(flags))
    if status != 0:
        raise PermissionError(1, "Operation not permitted", "user map")
    return None


def _map_users(process: int) -> int:
    try:
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/self/{name}") as mine:  # noqa: PTH123  pathlib costs the launcher 5 ms
                ranges = [line.split() for line in mine]
            _write(f"/proc/{process}/{name}", "".join(f"{inside} {inside} {size}\n" for inside, _, size in ranges))
    except OSError:
        return 1
    return 0


def _own_names() -> None:
    hidden = {os.path.realpath(folder) for folder in _HIDDEN if os.path.isdir(folder)}  # noqa: PTH112
    for folder in sorted(hidden):
        _mount("tapegate", folder, "tmpfs", 0)
    texts = {"/etc/hosts": _HOSTS, "/etc/resolv.conf": _RESOLVER, "/etc/nsswitch.conf": _switch()}
    _mount("tapegate", _SCRATCH, "tmpfs", 0)
    for number, (path, text) in enumerate(texts.items()):
        target = os.path.realpath(path)
        if os.path.dirname(target) in hidden:  # noqa: PTH120
            _write(target, text)
        elif os.path.exists(target):  # noqa: PTH110  the C library has good defaults for each that is missing
            source = f"{_SCRATCH}/{number}"
            _write(source, text)
            _mount(source, target, None, _BIND)
    _checked("umount", _libc.umount2(_SCRATCH.encode(), _DETACH))
    with _step("host name"):
        socket.sethostname(HOSTNAME)


def _switch() -> str:
    """The machine's own name service switch, but hosts come from files and the resolver."""
    try:
        with open("/etc/nsswitch.conf") as file:  # noqa: PTH123
            kept = [line for line in file if not line.lstrip().startswith("hosts:")]
    except OSError:
        kept = []
    return "".join(kept) + "\nhosts: files dns\n"


def _loopback_up() -> None:
    up_and_running = 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", up_and_running))


def _route_everything_to_loopback(family: int) -> None:
    """`ip route add local default dev lo`, said to the kernel directly (rtnetlink(7))."""
    new_route, flags = 24, 0x1 | 0x4 | 0x400 | 0x200  # request, acknowledge, create, exclusively
    local_table, static, host_scope, local = 255, 4, 254, 2
    route = struct.pack("BBBBBBBBI", family, 0, 0, 0, local_table, static, host_scope, local, 0)
    body = route + struct.pack("HHI", 8, 4, socket.if_nametoindex("lo"))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as link:
        link.send(struct.pack("IHHII", 16 + len(body), new_route, flags, 1, 0) + body)
        (error,) = struct.unpack_from("i", link.recv(4096), 16)
    if error:
        raise OSError(-error, os.strerror(-error), "route")


def _mount(source: str | None, target: str, kind: str | None, flags: int) -> None:
    arguments = (text.encode() if text is not None else None for text in (source, target, kind))
    _checked(f"mount {target}", _libc.mount(*arguments, ctypes.c_ulong(flags), None))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123
        file.write(text)


def _checked(step: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), step)


class _step:  # noqa: N801  reads as the statement it is
    """Names the step in an OSError that passes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            error.filename = self._name
