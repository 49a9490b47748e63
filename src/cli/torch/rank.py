"""One rank of `lockstep train --engine torch`: `rank.py train.py [arguments]`, started by torchrun or alone.

Runs the script as `python train.py` would, and sends what it writes to Lockstep, as this rank's. Says how the script
ended, answers where it is just now, and ends when Lockstep is gone, so that no process is left behind. The script knows
nothing of this, and this nothing of the script.
"""
import json
import linecache
import os
import runpy
import socket
import sys
import threading
import time
import traceback

HOST, PORT, TOKEN = os.environ['LOCKSTEP_RANKS'].split(' ')
SCRIPT = os.path.abspath(sys.argv[1])
FOLDER = os.path.dirname(SCRIPT) + os.sep


def number(name, otherwise=0):
    return int(os.environ.get(name, otherwise))


def connect(stream):
    connection = socket.create_connection((HOST, int(PORT)))
    hello = {
        'token': TOKEN,
        'stream': stream,
        'rank': number('RANK'),
        'localRank': number('LOCAL_RANK'),
        'node': number('GROUP_RANK'),
        'restart': number('TORCHELASTIC_RESTART_COUNT'),
        'pid': os.getpid(),
        'master': [os.environ.get('MASTER_ADDR', ''), number('MASTER_PORT')],
    }
    connection.sendall((json.dumps(hello) + '\n').encode())
    return connection


def place(frames):
    """The innermost of these frames in the script's folder, and the innermost of all."""
    own = [frame for frame in frames if frame.filename.startswith(FOLDER)]
    inner = frames[-1] if frames else None
    said = {}
    if own:
        line = linecache.getline(own[-1].filename, own[-1].lineno).strip()
        said.update(file=own[-1].filename[len(FOLDER):], line=own[-1].lineno, function=own[-1].name, text=line)
    if inner and (not own or inner is not own[-1]):
        said.update(inside=f'{inner.name} of {os.path.basename(inner.filename)}')
    return said


class Lockstep:
    def __init__(self):
        self.connection = connect('control')
        self.main = threading.get_ident()
        threading.Thread(target=self.answer, daemon=True).start()

    def tell(self, **what):
        try:
            self.connection.sendall((json.dumps({'time': time.time(), **what}) + '\n').encode())
        except OSError:
            pass

    def answer(self):
        try:
            for line in self.connection.makefile('r'):
                if line.strip() == 'where':
                    frames = traceback.extract_stack(sys._current_frames()[self.main])
                    self.tell(where=place(frames))
        except OSError:
            pass
        # Lockstep has gone, however that came.
        os._exit(1)


def take_output():
    """Descriptors 1 and 2, so that what C++ writes comes, too."""
    for descriptor, stream, name in ((1, sys.stdout, 'stdout'), (2, sys.stderr, 'stderr')):
        with connect(name) as connection:
            os.dup2(connection.fileno(), descriptor)
        stream.reconfigure(line_buffering=True, errors='backslashreplace')


def run():
    # On one machine the ranks need no name service to find the first of them.
    if 'LOCKSTEP_MASTER_ADDR' in os.environ:
        os.environ['MASTER_ADDR'] = os.environ['LOCKSTEP_MASTER_ADDR']
    lockstep = Lockstep()
    take_output()
    sys.argv = sys.argv[1:]
    sys.path[0] = FOLDER
    try:
        runpy.run_path(SCRIPT, run_name='__main__')
    except SystemExit as end:
        code = end.code
        is_number = isinstance(code, (int, type(None)))
        lockstep.tell(**({'ended': code or 0} if is_number else {'ended': 1, 'said': str(code)}))
        raise
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        lockstep.tell(failed={'type': type(error).__name__, 'message': str(error), **place(frames)})
        # Without the frames of this file and of runpy.
        shown = error.__traceback__
        while shown is not None and not shown.tb_frame.f_code.co_filename.startswith(FOLDER):
            shown = shown.tb_next
        traceback.print_exception(type(error), error, shown or error.__traceback__)
        sys.exit(1)
    lockstep.tell(ended=0)


if __name__ == '__main__':
    run()
