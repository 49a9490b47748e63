"""A python3 that has already imported torch, for tests that start Python many times.

`warm-torch.py serve SOCKET` imports torch, prints a line and then forks for every client; it ends when its standard
input closes. `warm-torch.py ask SOCKET [-u] train.py ...` (or `-m module ...`) is a client: the fork gets the client's
environment, folder and standard streams. The client passes its signals on to the fork, and ends with the fork's exit
status or signal. A fork ends when its client has ended. So torchrun, and the ranks that it starts with PYTHON_EXEC, are
real processes that need no two seconds for the import.
"""
import json
import os
import signal
import socket
import sys

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def ask(address, words):
    asker = socket.socket(socket.AF_UNIX)
    asker.connect(address)
    socket.send_fds(asker, [b'\n'], [0, 1, 2])
    asker.sendall(json.dumps({'words': words, 'folder': os.getcwd(), 'env': dict(os.environ)}).encode() + b'\n')
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: asker.sendall(bytes([number])))
    status = int(asker.makefile().readline() or 1)
    if status < 0:
        if -status in PASSED_ON:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def serve(address):
    """Returns in each fork, with the request."""
    import gc
    import select

    import torch.distributed.run  # the slow part of a run's imports

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.freeze()
    print('ready', flush=True)
    askers = {}
    while True:
        ready, _, _ = select.select([0, wakes, listener, *askers], [], [])
        if wakes in ready:
            os.read(wakes, 4096)
            tell_ended(askers)
        for asker in [asker for asker in askers if asker in ready]:
            # No byte: the client has ended.
            numbers = asker.recv(16)
            for number in numbers or [signal.SIGKILL]:
                os.kill(askers[asker], number)
            if not numbers:
                os.waitpid(askers.pop(asker), 0)
                asker.close()
        if listener in ready:
            asker, _ = listener.accept()
            _, streams, _, _ = socket.recv_fds(asker, 1, 3)
            asked = json.loads(asker.makefile().readline())
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for open_one in (listener, asker, *askers):
                    open_one.close()
                for stream, own in enumerate(streams):
                    os.dup2(own, stream)
                for descriptor in (wakes, wake, *streams):
                    os.close(descriptor)
                return asked
            askers[asker] = pid
            for stream in streams:
                os.close(stream)
        if 0 in ready:
            for pid in askers.values():
                os.kill(pid, signal.SIGKILL)
            os._exit(0)


def tell_ended(askers):
    for asker, pid in list(askers.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del askers[asker]
            try:
                asker.sendall(f'{os.waitstatus_to_exitcode(status)}\n'.encode())
            except OSError:
                pass  # it is gone
            asker.close()


def run(words, folder, env):
    """Does what `python3 words` would do, in this process."""
    import runpy

    import torch

    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    if 'OMP_NUM_THREADS' in env:  # read when torch was loaded
        torch.set_num_threads(int(env['OMP_NUM_THREADS']))
    if words[0] == '-u':
        words = words[1:]
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(write_through=True)
    if words[0] == '-m':
        sys.modules.pop(words[1], None)
        sys.argv, sys.path[0] = words[1:], folder
        runpy.run_module(words[1], run_name='__main__', alter_sys=True)
    else:
        sys.argv, sys.path[0] = words, os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name='__main__')


if __name__ == '__main__':
    if sys.argv[1] == 'ask':
        ask(sys.argv[2], sys.argv[3:])
    run(**serve(sys.argv[2]))
