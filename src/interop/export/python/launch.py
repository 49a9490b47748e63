"""How train.py is started: its options, the device and the rank of this process, the process group."""

import argparse
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist


def here(name):
    """A file of this folder, from whatever folder train.py is started."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


class Parser(argparse.ArgumentParser):
    """Says what is wrong with its options once, not once per rank."""

    def error(self, message):
        if os.environ.get('RANK', '0') != '0':
            sys.exit(2)
        super().error(message)


def positive(text):
    """A whole number of 1 or more."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number of 1 or more')
    return int(text)


def parse_arguments(steps=None, epochs=None, resume=None, plain=False):
    """The options of train.py; `steps` (of the optimizer), `epochs` and `resume` are those of the exported run."""
    resume = resume and here(resume)
    parser = Parser(description='Trains the net of this folder; README.md has the commands.')
    add = parser.add_argument
    if epochs is None:
        add('--steps', type=positive, default=steps, help='steps of the optimizer (%(default)s)')
    else:
        add('--epochs', type=positive, default=epochs, help='passes over the data (%(default)s)')
    add('--device', choices=['auto', 'cpu', 'cuda'], default='auto', help='auto: CUDA where every rank has a GPU')
    add('--backend', choices=['gloo', 'nccl'], help='of the process group; nccl on GPUs, gloo on the CPU')
    add('--timeout', type=float, metavar='S', help="of the process group, in seconds (the run's, else PyTorch's own)")
    add('--report', metavar='FILE', help='write losses, final weights, times and memory (JSON)')
    add('--history', type=int, default=200, metavar='N', help='steps of which the report has parameters and gradients')
    add('--expect', metavar='FILE', help='a report to compare with: prints the largest difference, ends with 1 beyond')
    add('--bar', type=float, default=1e-5, help='the difference that --expect allows, relative above 1 (%(default)s)')
    add('--trace', metavar='FILE', help='record the last steps with torch.profiler, one file for each rank')
    add('--checkpoint', metavar='BASE', help='write BASE.safetensors and BASE.state.safetensors; a shared folder')
    add('--checkpoint-every', type=positive, metavar='N', help='after every N steps, too, not at the end only')
    add('--resume', metavar='BASE', default=resume, help='go on from such a checkpoint; auto: from the newest complete '
        'one that --checkpoint wrote, or from the start where there is none')
    add('--real-data', metavar='FILE', help='train on your own rows: see own_dataset in train.py')
    add('--workers', type=int, default=0, help='processes that load batches, for each rank (%(default)s)')
    add('--precision', choices=['float32', 'tf32', 'bf16'], default='float32', help='of products (%(default)s)')
    add('--compile', action='store_true', help='torch.compile the model (torch 2 and later)')
    add('--quiet', action='store_true', help='do not print losses')
    add('--progress', action='store_true', help=argparse.SUPPRESS)  # for programs: a line of JSON for every loss
    add('--kill', metavar='RANK@STEP', help='end that rank in that step, as a crash would; several with commas')
    add('--hang', metavar='RANK@STEP', help='let that rank hang there, until the timeout of the process group')
    args = parser.parse_args()
    args.begins_with = resume  # what `--resume auto` takes before there is a checkpoint
    if args.resume == 'auto' and not args.checkpoint:
        parser.error('--resume auto goes on from what --checkpoint BASE wrote: give --checkpoint, too')
    if plain and (args.compile or args.precision == 'bf16'):
        parser.error('--compile and --precision bf16 are not for this mode, whose stages or workers have own loops')
    if args.compile and not hasattr(torch, 'compile'):
        parser.error(f'--compile needs torch 2 or later; this is {torch.__version__}')
    torch.set_float32_matmul_precision('high' if args.precision == 'tf32' else 'highest')
    torch.backends.cudnn.allow_tf32 = args.precision == 'tf32'  # of convolutions; torch's default is True
    return args


def set_up(args, ranks=None, devices=1, timeout_s=None):
    """Rank and device of this process. With `ranks` it joins the others; else it drives `devices` GPUs by itself.

    `timeout_s`: how long a rank waits in a collective for the others; None: PyTorch's own (10 min nccl, 30 min gloo).
    """
    local_rank = int(os.environ.get('LOCAL_RANK', 0)) if ranks else 0
    needed = int(os.environ.get('LOCAL_WORLD_SIZE', 1)) if ranks else devices
    found = torch.cuda.device_count()
    if args.device == 'cuda' and found < needed:
        sys.exit(f'train.py: needs {needed} GPUs on this machine and finds {found}; --device cpu takes none')
    cuda = args.device != 'cpu' and found >= needed
    device = torch.device('cuda', local_rank) if cuda else torch.device('cpu')
    if cuda:
        torch.cuda.set_device(device)
    if not ranks:
        return 0, device
    if 'RANK' not in os.environ:
        sys.exit(f'train.py: has {ranks} ranks; start it with torchrun --nproc_per_node={ranks} train.py')
    backend = args.backend or ('nccl' if cuda else 'gloo')
    args.timeout = args.timeout or timeout_s
    timeout = {} if args.timeout is None else {'timeout': timedelta(seconds=args.timeout)}
    dist.init_process_group(backend, **timeout)
    rank, world = dist.get_rank(), dist.get_world_size()
    if world != ranks and rank == 0:
        print(f'train.py: exported for {ranks} ranks, started with {world}: each keeps its batch size', file=sys.stderr)
    return rank, device


def autocast(args, device):
    """The context of the forward pass: --precision bf16 computes products in it, the weights stay float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=args.precision == 'bf16')
