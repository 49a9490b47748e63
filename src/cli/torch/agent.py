"""torchrun for `lockstep train --engine torch`: its own main() with its own options.

`python -m torch.distributed.run` cannot be called as it is. It would live on where Lockstep is killed. Before a restart
it says how one rank ended, of several that it finds ended at once the first. And in torch before 2.0 it does not read
the default of its own --redirects under Python 3.11, as Debian 12 has both, and it picks a port for rank 0 that the
system may give to another process before rank 0 has it.
"""
import os
import random
import signal
import socket
import sys
import threading

from torch.distributed import run
from torch.distributed.elastic.agent.server import api as server
from torch.distributed.elastic.multiprocessing import api


def end_with_lockstep():
    """Standard input is a pipe that Lockstep never writes to: it ends when Lockstep does."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class Failure(api.ProcessFailure):
    def __post_init__(self):
        super().__post_init__()
        print(f'exitcode: {self.exitcode} (pid: {self.pid})', file=sys.stderr, flush=True)


def port_for_rank_0():
    """Below those that the system gives to whoever asks for any."""
    while True:
        found = socket.socket()
        try:
            found.bind(('localhost', random.randint(10_000, 19_999)))
            found.listen(0)
            return found
        except OSError:
            found.close()


threading.Thread(target=end_with_lockstep, daemon=True).start()
api.ProcessFailure = Failure
if hasattr(server, '_get_socket_with_port'):
    server._get_socket_with_port = port_for_rank_0
if api.Std.from_str('0') is None:
    api.Std.from_str = classmethod(lambda cls, text: cls(int(text)))
run.main(sys.argv[1:])
