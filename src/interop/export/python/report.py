"""The report of a run, with the same fields as Lockstep's report, and --expect, which compares two reports."""

import base64
import json
import math
import os
import platform
import resource
import sys

import torch
import torch.distributed as dist

from checkpoint import gather
from tensors import bytes_of

SAMPLED = 32  # elements per tensor in the history


def number(value):
    """A number for JSON, which has no NaN."""
    value = float(value)
    return value if math.isfinite(value) else None


def sample(tensor):
    """L2 norm, and evenly spaced elements: enough to see where two runs begin to differ."""
    flat = tensor.detach().flatten()
    k = min(len(flat), SAMPLED)
    at = torch.arange(k, device=flat.device) * len(flat) // max(k, 1)
    return {'norm': number(flat.double().norm()), 'sample': [number(v) for v in flat[at].tolist()]}


def sample_step(step, tensors):
    """After a step of the optimizer: the new parameters, and the gradients it used. All ranks call it."""
    named = [(name, p, p.grad) for name, p in tensors.named_parameters()]
    named = [
        (name, tensors.whole(name, p, p), None if grad is None else tensors.whole(name, grad, p))
        for name, p, grad in named
    ]
    return {
        'step': step,
        'parameters': {name: sample(p) for name, p, _ in named},
        'gradients': {name: sample(grad) for name, _, grad in named if grad is not None},
    }


def records(ranks, run):
    """The losses of all ranks, one entry per micro-batch; null: that rank had no batch. A rank of a pipeline that
    never computes a loss has no place in the entries."""
    found = {}
    for rank, losses in enumerate(ranks):
        for micro_batch, epoch, loss in losses:
            found.setdefault(micro_batch, (epoch, {}))[1].setdefault(rank, []).append(number(loss))
    rows = []
    with_losses = [rank for rank, losses in enumerate(ranks) if losses or run.uneven]
    for micro_batch, (epoch, by_rank) in sorted(found.items()):
        per_rank = [loss for rank in with_losses for loss in by_rank.get(rank, [None])]
        given = [loss for losses in by_rank.values() for loss in losses]
        mean = None if None in given else sum(given) / len(given)
        place = {'step': micro_batch // run.accumulate, 'microBatch': micro_batch, 'epoch': epoch}
        rows.append({**place, 'perRank': per_rank, 'loss': mean})
    return rows


def of_run(run):
    """Writes the report of a finished training; every rank calls it. Returns the exit status of --expect."""
    args = run.args
    if not args.report and not args.expect:
        return 0
    part = run.tensors.is_part
    mine = {
        'losses': [(m, e, float(loss)) for m, e, loss in run.losses],
        'history': run.history if part and run.tensors.speaks else [],
        'state': run.tensors.whole_state(),
        'memory': peak_bytes(run.device, run.rank),
        'apart': distance_from_rank_0(run),
    }
    ranks = gather(mine)
    if not ranks:
        return 0
    weights = {name: tensor for one in ranks for name, tensor in one['state'].items()}
    history = joined([one['history'] for one in ranks]) if part else run.history
    steps = (run.micro_batch - run.first_step * run.accumulate) // run.accumulate
    replicated = dist.is_initialized() and not part
    stop = {'code': 'aborted', 'message': f'The run was stopped after {run.first_step + steps} steps.'}
    stopped = {} if run.told is None else {'error': stop}
    full = {
        **head(run),
        'steps': steps,
        **losses_of(records([one['losses'] for one in ranks], run)),
        **bytes_of_buckets(run.wrapper),
        'memory': [one['memory'] for one in ranks],
        'time': {
            'clock': 'measured: wall clock of rank 0',
            'measuredTotalMs': 1000 * run.seconds,
            'measuredStepsPerSecond': steps / max(run.seconds, 1e-6),
        },
        **({'replicaDivergence': max(one['apart'] for one in ranks)} if replicated else {}),
        'weights': {name: record(weights[name]) for name in run.tensors.order if name in weights},
        'history': history,
        'notices': [],
        **stopped,
    }
    if args.report:
        write(args.report, full)
    return compared(full, args.expect, args.bar) if args.expect else 0


def of_failure(run, error):
    """Writes the report of a training that failed: what rank 0 knows."""
    if run.args.report and run.rank == 0:
        described = {'code': 'rank-failed', 'message': f'{type(error).__name__}: {error}'}
        write(run.args.report, {**head(run), **losses_of(records([run.losses], run)), 'error': described})


def head(run):
    backend = {'backend': dist.get_backend()} if dist.is_initialized() else {}
    cpu = f'{platform.machine()}, {torch.get_num_threads()} threads'
    adapter = torch.cuda.get_device_name() if run.device.type == 'cuda' else cpu
    return {
        'engine': {'name': 'pytorch', 'version': torch.__version__, 'device': run.device.type, **backend},
        'config': run.config,
        'device': {'kind': run.device.type, 'adapter': adapter, 'software': False},
    }


def losses_of(rows):
    return {'losses': rows, 'finalLoss': rows[-1]['loss'] if rows else None}


def record(tensor):
    """float32 in base64."""
    return {'shape': list(tensor.shape), 'float32': base64.b64encode(bytes_of(tensor.float())).decode()}


def joined(parts):
    """The joint history of a model that is spread over several ranks."""
    by_step = {}
    for row in sum(parts, []):
        whole = by_step.setdefault(row['step'], {'step': row['step'], 'parameters': {}, 'gradients': {}})
        for kind in ('parameters', 'gradients'):
            whole[kind].update(row[kind])
    return [by_step[step] for step in sorted(by_step)]


def peak_bytes(device, rank):
    """CUDA: of torch's allocator. CPU: of the whole process, with torch itself in it."""
    if device.type == 'cuda':
        return {'device': rank, 'peakBytes': torch.cuda.max_memory_allocated(), 'of': 'allocator'}
    unit = 1 if sys.platform == 'darwin' else 1024
    return {'device': rank, 'peakBytes': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit, 'of': 'process'}


def distance_from_rank_0(run):
    """The largest difference of a parameter of this rank from that of rank 0."""
    if run.tensors.is_part or not dist.is_initialized():
        return 0
    apart = 0.0
    for name, p in run.named_parameters():
        own = run.tensors.whole(name, p, p)
        first = own.clone()
        dist.broadcast(first, 0)
        apart = max(apart, (first - own).abs().max().item() if own.numel() > 0 else 0)
    return apart


def bytes_of_buckets(wrapper):
    """DistributedDataParallel's own count of the gradient bytes that a step reduces."""
    if wrapper is None:
        return {}
    told = wrapper._get_ddp_logging_data()
    shares = {'fp16_compress_hook': 2, 'bf16_compress_hook': 2, '': 1, 'allreduce_hook': 1}
    half = shares.get(str(told.get('comm_hook', '')))
    sizes = str(told.get('rebuilt_bucket_sizes') or told.get('bucket_sizes') or '')
    total = sum(int(size) for size in sizes.split(',') if size.strip())
    return {} if half is None or total == 0 else {'bytes': {'payloadPerStep': {'all_reduce': total // half}}}


def write(path, value):
    with open(f'{path}.part', 'w') as f:
        json.dump(value, f)
    os.replace(f'{path}.part', path)


def compared(found, path, bar):
    """Prints the largest difference from another report; returns 1 if it is above the bar."""
    with open(path) as f:
        expected = json.load(f)
    worst = []
    theirs = {}
    for i, row in enumerate(expected['losses']):  # records, or plain numbers
        theirs.update({row['microBatch']: row['loss']} if isinstance(row, dict) else {i: row})
    pairs = [
        (f"loss of micro-batch {row['microBatch']}", row['loss'], theirs[row['microBatch']])
        for row in found['losses']
        if row['microBatch'] in theirs
    ]
    worst.append(largest(pairs, f'{len(pairs)} losses'))
    if expected.get('weights'):
        shared = [name for name in found['weights'] if name in expected['weights']]
        pairs = [
            (f'{name}[{i}]', a, b)
            for name in shared
            for i, (a, b) in enumerate(zip(numbers(found['weights'][name]), numbers(expected['weights'][name])))
        ]
        worst.append(largest(pairs, f'{len(shared)} tensors of weights'))
    beyond = [text for far, text in worst if not far <= bar]
    for _, text in worst:
        print(f'expected: {text}', file=sys.stderr)
    print(f'{"beyond" if beyond else "within"} the bar of {bar:g}', file=sys.stderr)
    return 1 if beyond else 0


def largest(pairs, what):
    if not pairs:
        return math.inf, f'{what}: nothing to compare'
    far, where = max((distance(a, b), where) for where, a, b in pairs)
    return far, f'{what} compared, the largest difference is {far:.3g} ({where})'


def distance(a, b):
    """Relative above 1, absolute below; two values that are both not finite do not differ."""
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return abs(a - b) / max(1.0, abs(b))


def numbers(entry):
    """The elements of a tensor of a report."""
    if 'values' in entry:
        return entry['values']
    return torch.frombuffer(bytearray(base64.b64decode(entry['float32'])), dtype=torch.float32).tolist()


def profiler(steps, first_step):
    """Records the last three steps if the number of steps is known, else three near the beginning."""
    from torch.profiler import ProfilerAction, profile, schedule

    total = None if steps is None else steps - first_step
    if total is not None and total < 5:
        plan = lambda step: ProfilerAction.RECORD
    else:
        plan = schedule(skip_first=0 if total is None else total - 4, wait=0, warmup=1, active=3, repeat=1)
    return profile(schedule=plan, record_shapes=True)


def trace_file(path, rank):
    """trace.json of rank 2 is trace-rank2.json; of a run without ranks it is trace.json."""
    stem, end = os.path.splitext(path)
    return f'{stem}-rank{rank}{end}' if dist.is_initialized() else path
