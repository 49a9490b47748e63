"""The start of train.py: its options, device and rank of this process, and the process group."""

import argparse
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist


def here(name):
    """The path of a file in this folder, wherever train.py was started."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


class Parser(argparse.ArgumentParser):
    """Reports a wrong option once, not once per rank."""

    def error(self, message):
        if os.environ.get('RANK', '0') != '0':
            sys.exit(2)
        super().error(message)


def positive(text):
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number of at least 1')
    return int(text)


def parse_arguments(steps=None, epochs=None, resume=None, plain=False):
    """The options of train.py. `steps` (of the optimizer), `epochs` and `resume`: the values of the exported run."""
    resume = resume and here(resume)
    parser = Parser(description='Trains the net of this folder; README.md has the commands.')
    add = parser.add_argument
    if epochs is None:
        add('--steps', type=positive, default=steps, help='steps of the optimizer (%(default)s)')
    else:
        add('--epochs', type=positive, default=epochs, help='passes over the data (%(default)s)')
    add('--device', choices=['auto', 'cpu', 'cuda'], default='auto', help='auto: CUDA if every rank has a GPU')
    add('--backend', choices=['gloo', 'nccl'], help='of the process group; default: nccl on GPUs, gloo on the CPU')
    add('--timeout', type=float, metavar='S', help="of the process group, in seconds (the run's, else PyTorch's)")
    add('--report', metavar='FILE', help='write losses, final weights, times and memory (JSON)')
    add('--history', type=int, default=200, metavar='N', help='steps whose parameters and gradients are reported')
    add('--expect', metavar='FILE',
        help='compare with this report: print the largest difference, exit with 1 if above --bar')
    add('--bar', type=float, default=1e-5, help='difference that --expect allows, relative above 1 (%(default)s)')
    add('--trace', metavar='FILE', help='record the last steps with torch.profiler, one file per rank')
    add('--checkpoint', metavar='BASE', help='write BASE.safetensors and BASE.state.safetensors (shared folder)')
    add('--checkpoint-every', type=positive, metavar='N', help='write one every N steps, not only at the end')
    add('--resume', metavar='BASE', default=resume, help='resume from this checkpoint; auto: from the newest one '
        'that --checkpoint wrote, or start from the beginning if there is none')
    add('--real-data', metavar='FILE', help='train on your own rows: see own_dataset in train.py')
    add('--workers', type=int, default=0, help='processes per rank that load batches (%(default)s)')
    add('--precision', choices=['float32', 'tf32', 'bf16'], default='float32', help='of matrix products (%(default)s)')
    add('--compile', action='store_true', help='torch.compile the model (torch 2 and later)')
    add('--quiet', action='store_true', help='do not print losses')
    add('--progress', action='store_true', help=argparse.SUPPRESS)  # for programs: prints one line of JSON per loss
    add('--kill', metavar='RANK@STEP', help='kill that rank in that step, like a crash; separate several by commas')
    add('--hang', metavar='RANK@STEP', help='make that rank hang there, until the timeout of the process group')
    args = parser.parse_args()
    args.begins_with = resume  # `--resume auto` starts from this while there is no checkpoint
    if args.resume == 'auto' and not args.checkpoint:
        parser.error('--resume auto resumes from what --checkpoint BASE wrote: give --checkpoint as well')
    if plain and (args.compile or args.precision == 'bf16'):
        parser.error('--compile and --precision bf16 are not available: the run has a loop or a precision of its own')
    if args.compile and not hasattr(torch, 'compile'):
        parser.error(f'--compile needs torch 2 or later; this is {torch.__version__}')
    torch.set_float32_matmul_precision('high' if args.precision == 'tf32' else 'highest')
    torch.backends.cudnn.allow_tf32 = args.precision == 'tf32'  # of convolutions; torch's default is True
    return args


def set_up(args, ranks=None, devices=1, timeout_s=None, offloads=False):
    """Rank and device of this process. With `ranks` it joins the process group; else it drives `devices` GPUs alone.

    `timeout_s`: how long a rank waits in a collective; None: PyTorch's default (10 min for nccl, 30 min for gloo).
    `offloads`: tensors in the memory of the host have collectives too, so GPUs need gloo beside nccl.
    """
    local_rank = int(os.environ.get('LOCAL_RANK', 0)) if ranks else 0
    needed = int(os.environ.get('LOCAL_WORLD_SIZE', 1)) if ranks else devices
    found = torch.cuda.device_count()
    if args.device == 'cuda' and found < needed:
        sys.exit(f'train.py: needs {needed} GPUs on this machine but finds {found}; --device cpu needs none')
    cuda = args.device != 'cpu' and found >= needed
    device = torch.device('cuda', local_rank) if cuda else torch.device('cpu')
    if cuda:
        torch.cuda.set_device(device)
    if not ranks:
        return 0, device
    if 'RANK' not in os.environ:
        sys.exit(f'train.py: needs {ranks} ranks; start it with torchrun --nproc_per_node={ranks} train.py')
    on_gpus = 'cpu:gloo,cuda:nccl' if offloads else 'nccl'
    backend = args.backend or (on_gpus if cuda else 'gloo')
    args.timeout = args.timeout or timeout_s
    timeout = {} if args.timeout is None else {'timeout': timedelta(seconds=args.timeout)}
    dist.init_process_group(backend, **timeout)
    rank, world = dist.get_rank(), dist.get_world_size()
    if world != ranks and rank == 0:
        print(f'train.py: exported for {ranks} ranks, started with {world}; batch size per rank kept', file=sys.stderr)
    return rank, device


def autocast(args, device):
    """The context of the forward pass: with --precision bf16, matrix products in bfloat16 and weights in float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=args.precision == 'bf16')
