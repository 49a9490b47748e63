"""Runs PyTorch listings of Lockstep on the CPU and returns the numbers that each process printed.

Standard input: {"scripts": [{"code": str, "processes": int, "files": {name: base64}}]}. Standard output: one JSON line
per script, in order: {"printed": [[float, ...] per process], "error": str or null}; the first line has the version of
torch. A script without "code" is an exported run: its train.py starts unchanged with "args", and "gives" has the names
of files that it writes, which are returned in base64.

The listings use GPUs if there are enough; this script runs them on the CPU over gloo. The code below replaces functions
that this PyTorch lacks, or has only on GPUs. torch is imported once; every process is a fork.
"""
import base64, functools, inspect, json, os, re, runpy, sys, tempfile, traceback

# So scripts that use GPUs if there are enough find none.
os.environ['CUDA_VISIBLE_DEVICES'] = ''
import torch
import torch.distributed
import torch.nn.parallel
import torch.utils.checkpoint
import torch.utils.data
import torch.distributed.optim
from torch import nn
from torch.nn.utils.stateless import functional_call

SECONDS = 120
torch.set_num_threads(1)

def printing_all(code):
    """In a listing only rank 0 prints its losses; here every rank does."""
    return re.sub(r'if rank == 0:(?=  # the loss)', 'if True:', code)


class Ddp(torch.nn.parallel.DistributedDataParallel):
    """DDP with arguments that are newer than 1.13: forward_sync_buffers (2.13) and init_sync (2.7)."""

    def __init__(self, module, forward_sync_buffers=True, init_sync=True, **settings):
        home = sys.modules['torch.nn.parallel.distributed']
        names = ['_verify_param_shape_across_processes', '_sync_module_states']
        kept = {name: getattr(home, name) for name in names}
        if not init_sync:
            for name in names:
                setattr(home, name, lambda *_, **__: None)
        try:
            super().__init__(module, broadcast_buffers=forward_sync_buffers, **settings)
        finally:
            for name in names:
                setattr(home, name, kept[name])


class CpuDataParallel(nn.Module):
    """Runs the replicas one after the other on the chunks of the batch, and concatenates their outputs.

    Changes of buffers are lost on all replicas except the first.
    """

    def __init__(self, module, device_ids):
        super().__init__()
        self.module, self.devices = module, len(device_ids)

    def forward(self, x):
        outputs = []
        for replica, part in enumerate(x.chunk(self.devices)):
            own = {name: buffer.clone() for name, buffer in self.module.named_buffers()} if replica > 0 else {}
            outputs.append(functional_call(self.module, own, part))
        return torch.cat(outputs)


def checkpoint_sequential(functions, segments, x, use_reentrant):
    """checkpoint_sequential of torch 2: in 1.13 it has no use_reentrant."""
    functions = list(functions)
    size = len(functions) // segments
    for start in range(0, size * (segments - 1), size):
        x = torch.utils.checkpoint.checkpoint(chain(functions[start : start + size]), x, use_reentrant=use_reentrant)
    return chain(functions[size * (segments - 1) :])(x)


def chain(functions):
    return lambda x: functools.reduce(lambda value, function: function(value), functions, x)


def takes(function, name):
    return name in inspect.signature(function).parameters


def stand_ins():
    if not takes(torch.nn.parallel.DistributedDataParallel.__init__, 'forward_sync_buffers'):
        torch.nn.parallel.DistributedDataParallel = Ddp
    nn.DataParallel = CpuDataParallel
    if not takes(torch.utils.checkpoint.checkpoint_sequential, 'use_reentrant'):
        torch.utils.checkpoint.checkpoint_sequential = checkpoint_sequential
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'stand-ins'))


def process(code, args, rank, processes, folder, pipe):
    """One rank, in a fork: its losses go into the pipe, a line each, and then the error that ended it, or null. The
    lines of a rank that crashes in torch's own code arrive, too."""
    import signal

    signal.alarm(SECONDS)
    os.chdir(folder)
    os.environ['LOCAL_RANK'] = os.environ['RANK'] = str(rank)
    os.environ['LOCAL_WORLD_SIZE'] = os.environ['WORLD_SIZE'] = str(processes)
    begin = torch.distributed.init_process_group

    def init(backend, **settings):
        begin(backend, init_method=f'file://{folder}/store', rank=rank, world_size=processes, **settings)

    torch.distributed.init_process_group = init
    out, error = os.fdopen(pipe, 'w'), None

    def tell(*values):
        print(*(json.dumps(float(value)) for value in values), sep='\n', file=out, flush=True)

    names = {'__name__': '__main__', 'print': tell}
    try:
        if code is None:
            sys.argv, sys.path[0] = ['train.py', *args], folder
            runpy.run_path('train.py', run_name='__main__')
        else:
            exec(compile(printing_all(code), 'train.py', 'exec'), names)
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps({'error': error}), file=out, flush=True)
    os._exit(0)


def told_by(text):
    """What a rank has told through its pipe."""
    lines = [json.loads(line) for line in text.splitlines() if line]
    *printed, last = lines if lines and isinstance(lines[-1], dict) else [*lines, None]
    return {'printed': printed, 'error': last['error'] if last else f'crashed, or took over {SECONDS} s'}


def run(processes, files, code=None, args=(), gives=()):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as f:
                f.write(base64.b64decode(content))
        ranks = []
        for rank in range(processes):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                process(code, args, rank, processes, folder, write)
            os.close(write)
            ranks.append((child, read))
        told = []
        for child, read in ranks:
            with os.fdopen(read) as f:
                text = f.read()
            os.waitpid(child, 0)
            told.append(told_by(text))
        paths = {name: os.path.join(folder, name) for name in gives}
        there = {name: path for name, path in paths.items() if os.path.exists(path)}
        given = {name: base64.b64encode(open(path, 'rb').read()).decode() for name, path in there.items()}
    error = next((t['error'] for t in told if t['error']), None)
    return {'files': given, 'printed': [t['printed'] for t in told], 'error': error}


if __name__ == '__main__':
    # Only the answers go to standard output, whatever a script or torch writes.
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    scripts = json.load(sys.stdin)['scripts']
    exported = all('code' not in script for script in scripts)
    if not exported:  # an exported run takes torch as it is
        stand_ins()
    print(json.dumps({'torch': torch.__version__}), file=answers, flush=True)
    for script in scripts:
        print(json.dumps(run(**script)), file=answers, flush=True)
