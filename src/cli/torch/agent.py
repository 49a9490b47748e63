"""torchrun for `lockstep train --engine torch`: its own main() with its own options.

`python -m torch.distributed.run` cannot be called as it is in two respects: torch before 2.0 does not read the default
of its own --redirects under Python 3.11, as Debian 12 has both; and it would live on where Lockstep is killed.
"""
import os
import signal
import sys
import threading

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import Std


def end_with_lockstep():
    """Standard input is a pipe that Lockstep never writes to: it ends when Lockstep does."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


threading.Thread(target=end_with_lockstep, daemon=True).start()
if Std.from_str('0') is None:
    Std.from_str = classmethod(lambda cls, text: cls(int(text)))
run.main(sys.argv[1:])
