"""Writes checkpoints that Lockstep can resume from, and resumes from checkpoints that Lockstep wrote.

BASE.safetensors is model.state_dict(). BASE.state.safetensors holds the optimizer's state, the rows of the epoch and
the random generators of all ranks; its metadata hold the step, and checksums that name the model file it belongs to.
Rank 0 writes for all ranks.
"""

import itertools
import json
import pickle
import re
import zlib
from fnmatch import fnmatchcase

import torch
import torch.distributed as dist
from torch.utils.data import BatchSampler

from checkpoint_files import (
    compact, crcs, other_settings, read_pair, replace_pair, same_batches, without_wrapper,
)
from tensors import bytes_of

SCALE, GROWTH_TRACKER = 'scaler.scale', 'scaler.growth_tracker'
SKIPPED, FOUND_INF = 'scaler.skipped', 'scaler.found_inf'


class Batches(BatchSampler):
    """The batches of an epoch. A checkpoint saves their rows, so that a resumed run can finish the epoch."""

    def __init__(self, sampler, batch_size, drop_last=False):
        super().__init__(sampler, batch_size, drop_last)
        self.epoch_rows = []  # of the current epoch: a list of row numbers per batch
        self.left = None
        self.same_rows = False  # on all ranks: they then use the rows that rank 0 draws

    def finish(self, done, epoch_rows=None, generators=None):
        """Skips the first `done` batches of the next epoch. Its rows: `epoch_rows` if given, else the sampler's, which
        then draws from `generators`."""
        self.left = done, epoch_rows, generators

    def __iter__(self):
        (done, rows, generators), self.left = self.left or (0, None, None), None
        if generators is not None:
            set_generators(generators)
        if rows is None and generators is not None:
            torch.empty((), dtype=torch.int64).random_()  # the DataLoader drew its base seed from another generator
        self.epoch_rows = self.drawn() if rows is None else rows
        yield from self.epoch_rows[done:]

    def drawn(self):
        """All stages of a pipeline must read the same rows, but dropout makes some stages draw more numbers."""
        batches = list(super().__iter__())
        if not self.same_rows:
            return batches
        device = 'cuda' if dist.get_backend() == 'nccl' else 'cpu'
        rows = torch.tensor([row for batch in batches for row in batch], device=device)
        dist.broadcast(rows, 0)
        return [batch.tolist() for batch in rows.cpu().split([len(batch) for batch in batches])]


class Saved:
    """What this rank needs of a checkpoint."""

    def __init__(self, base, rank, reader, readers, config):
        """`readers`: how many ranks read different rows; `reader`: whose rows this rank reads."""
        self.weights, tensors, self.about = read_pair(base)
        self.optimizer, self.own_weights = {}, {}
        self.scaler = {key: float(tensors[key]) for key in (SCALE, GROWTH_TRACKER, SKIPPED) if key in tensors}
        for key in sorted(tensors):  # state.0.exp_avg; an ending @cuda:1 marks the value of that rank alone
            name, _, owner = key.partition('@cuda:')
            if name.startswith('state.') and owner in ('', str(rank)):
                _, number, name = name.split('.')
                self.optimizer.setdefault(int(number), {})[name] = tensors[key]
            elif owner == str(rank) and name in self.weights:
                self.own_weights[name] = tensors[key]
        if config['optimizer']['type'] != 'SGD':  # a scaler may have skipped all steps: torch has no states then
            self.optimizer = {number: state for number, state in self.optimizer.items() if 'step' in state}
        # With other ranks or other batches the rows are dealt again, from the start of the epoch.
        self.same_rows = int(self.about['processes']) == readers and same_batches(self.about, config)
        if self.same_rows:
            sizes = tensors[f'sampler.{reader}.sizes'].tolist()
            self.rows = [batch.tolist() for batch in tensors[f'sampler.{reader}.rows'].split(sizes)]
        prefix = f'cuda_rng_state.{rank}.'  # saved on GPUs; Lockstep has none
        cuda = {int(key[len(prefix) :]): state for key, state in tensors.items() if key.startswith(prefix)}
        # Each rank of a mesh has its own generator. On another mesh all continue from the generator of rank 0.
        others = other_settings(self.about, config)
        same = not {'mode', 'worldSize', 'mesh'}.intersection(others)
        if {'mode', 'worldSize'}.intersection(others):
            self.own_weights = {}
        names = [f'rng_state.rank{rank if same else 0}', f'rng_state.{reader}', 'rng_state.0']
        self.generators = {'cpu': next(tensors[name] for name in names if name in tensors), **cuda}

    def number(self, name):
        return int(self.about[name])

    def load_model(self, model):
        model.load_state_dict({without_wrapper(name): tensor for name, tensor in self.weights.items()})

    def load_own_weights(self, tensors):
        """Ranks' weights may differ: under join() a rank without batches takes no steps, and with a hook such as local
        SGD ranks average from time to time. DistributedDataParallel has just given all ranks the weights of rank 0."""
        with torch.no_grad():
            for name, p in tensors.named_parameters():
                if name in self.own_weights:
                    p.copy_(self.own_weights[name])

    def load_optimizer(self, optimizer, tensors):
        """Settings that the file lacks stay unchanged. Each rank takes its parts of the states; all ranks call this."""
        saved_groups = json.loads(self.about['param_groups'])
        groups = [{**own, **saved} for own, saved in zip(optimizer.param_groups, saved_groups)]
        own = {id(p): name for name, p in tensors.named_parameters()}
        # This rank may lack a group, have several parameters for one shared weight, or count its parameters otherwise.
        names = json.loads(self.about['parameter_names'])
        if tensors.is_part or list(own.values()) != names:
            numbers = [[names.index(own[id(p)]) for p in of['params']] for of in optimizer.param_groups]
            saved = [next(group for group in saved_groups if params[0] in group['params']) for params in numbers]
            pairs = zip(optimizer.param_groups, saved, numbers)
            groups = [{**of, **group, 'params': params} for of, group, params in pairs]
        state, here = {}, itertools.count()
        for group, of in zip(groups, optimizer.param_groups):
            saved, group['params'] = group['params'], [next(here) for _ in of['params']]
            for number, k, p in zip(saved, group['params'], of['params']):
                cut = tensors.part_of(p)
                if number in self.optimizer:
                    # Copies of a shared weight have states of their own: PyTorch adds 1 to `step` in place. The file
                    # has float32 states; ZeroRedundancyOptimizer does not cast them to the type of the parameter.
                    types = {'step': torch.float32}
                    state[k] = {
                        key: cut(value).to(types.get(key, p.dtype), copy=True)
                        for key, value in self.optimizer[number].items()
                    }
        optimizer.load_state_dict({'state': state, 'param_groups': groups})

    def load_scaler(self, scaler):
        """Returns the number of skipped steps. A run without a GradScaler saved no scale; the scaler keeps its own."""
        if not self.scaler:
            return 0
        scale, tracker = self.scaler[SCALE], int(self.scaler[GROWTH_TRACKER])
        scaler.load_state_dict({**scaler.state_dict(), 'scale': scale, '_growth_tracker': tracker})
        return int(self.scaler.get(SKIPPED, 0))

    def load_batches(self, batches, row_ids, done):
        """The rest of the epoch behind `done` batches: the rows that were left, or rows that are dealt again."""
        if not self.same_rows:
            batches.finish(done, generators=self.generators)
            return
        place = None if row_ids is None else {int(row): i for i, row in enumerate(row_ids)}
        rows = self.rows if place is None else [[place[row] for row in batch] for batch in self.rows]
        batches.finish(done, rows, self.generators)


def own_gpus():
    """The GPUs that this process computes on, by their numbers among the visible GPUs."""
    if not torch.cuda.is_initialized():
        return []
    return [torch.cuda.current_device()] if dist.is_initialized() else range(torch.cuda.device_count())


def generators():
    """The states of torch's generators in this process: 'cpu', and its GPUs numbered from 0."""
    return {'cpu': torch.get_rng_state(), **{k: torch.cuda.get_rng_state(gpu) for k, gpu in enumerate(own_gpus())}}


def set_generators(states):
    torch.set_rng_state(states['cpu'])
    for k, gpu in enumerate(own_gpus()):
        if k in states:
            torch.cuda.set_rng_state(states[k], gpu)


def save(base, config, counts, tensors, optimizer, scaled, batches, row_ids, reader, readers):
    """Writes both files; every rank calls it. `counts`: the numbers of steps, micro-batches and so on, by name.

    `scaled`: the numbers of state_of_scaler. `tensors`: those of the model that this rank has.
    `reader`: whose rows this rank reads, of 0 to readers - 1.
    """
    rows = [[int(i if row_ids is None else row_ids[i]) for i in batch] for batch in batches.epoch_rows]
    order, ranks = tensors.order, gather(
        {
            'state': tensors.whole_state(),
            'optimizer': states_by_name(optimizer, tensors),
            'groups': groups_by_name(optimizer, tensors.named_parameters()),
            'reader': reader,
            'rows': torch.tensor([i for batch in rows for i in batch], dtype=torch.int32),
            'sizes': torch.tensor([len(batch) for batch in rows], dtype=torch.int32),
            'generators': generators(),
        }
    )
    if not ranks:
        return
    given = {name: tensor for one in ranks for name, tensor in one['state'].items()}
    weights = {name: given[name] for name in order if name in given}
    devices = list(range(config['worldSize']))
    values = {name: {f'model:{name}': devices} for name, tensor in weights.items() if tensor.is_floating_point()}
    # BatchNorm's counters: Lockstep counts in float32.
    saved = {name: t.float().reshape(-1) for name, t in weights.items() if not t.is_floating_point()}
    values.update({name: {name: devices} for name in saved})
    groups, names = numbered(ranks, order, [group['match'] for group in config.get('paramGroups', [])])
    states = [(name, state) for one in ranks for name, state in one['optimizer'].items()]
    for name, key, tensor in [(name, key, tensor) for name, state in states for key, tensor in state.items()]:
        saved[f'state.{names.index(name)}.{key}'] = tensor
        if tensor.dim() > 0:
            values[f'{name}.{key}'] = {f'state.{names.index(name)}.{key}': devices}
    saved.update({name: torch.tensor([float(number)]) for name, number in scaled.items()})
    values.update({name: {name: devices} for name in scaled})
    for p, one in enumerate(ranks):
        cpu = one['generators'].pop('cpu')
        own = one['reader']
        if f'rng_state.{own}' not in saved:
            saved.update({f'sampler.{own}.rows': one['rows'], f'sampler.{own}.sizes': one['sizes']})
            saved[f'rng_state.{own}'] = cpu
        if len(ranks) > readers:
            saved[f'rng_state.rank{p}'] = cpu
        saved.update({f'cuda_rng_state.{p}.{k}': state for k, state in one['generators'].items()})
    about = {
        'format': 'lockstep checkpoint',
        'version': '2',
        **{key: str(value) for key, value in counts.items()},
        'mode': config['mode'],
        'placement': config['placement'],
        'world_size': str(len(devices)),
        'processes': str(readers),
        **({'drawing_ranks': str(len(ranks))} if len(ranks) > readers else {}),
        'param_groups': compact(groups),
        'parameter_names': compact(names),
        'config': compact(config),
        'values': compact(values),
        'twin_values': '{}',
    }
    sums = {'model': crcs(weights), 'state': crcs(saved), 'header': zlib.crc32(compact(list(about.items())).encode())}
    replace_pair(base, weights, saved, {**about, 'crc32': compact(sums)})


def gather(value):
    """The values of all ranks on rank 0; an empty list on other ranks. Like dist.gather_object, which needs numpy."""
    if not dist.is_initialized():
        return [value]
    device = 'cuda' if dist.get_backend() == 'nccl' else 'cpu'
    data = pickle.dumps(value if dist.get_rank() > 0 else None)  # rank 0 need not send its own value
    own = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(device)
    sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, torch.tensor([len(own)], device=device))
    sizes = [int(size) for size in sizes]
    own = torch.cat((own, own.new_zeros(max(sizes) - len(own))))
    parts = [torch.empty_like(own) for _ in sizes] if dist.get_rank() == 0 else None
    dist.gather(own, parts, dst=0)
    if dist.get_rank() > 0:
        return []
    return [value] + [pickle.loads(bytes_of(part)[:size]) for part, size in zip(parts[1:], sizes[1:])]


def states_by_name(optimizer, tensors):
    """The optimizer's state of each parameter, whole, on the ranks that hand it over."""
    # Replicas have the same state, so one replica is enough. ZeroRedundancyOptimizer (.optim) has parts per rank.
    kept, keeps = getattr(optimizer, 'optim', optimizer).state, tensors.speaks or hasattr(optimizer, 'optim')
    states = {}
    for name, p in tensors.named_parameters():
        for key, value in kept[p].items() if p in kept else []:
            found = None if value is None else as_float(tensors.whole(name, torch.as_tensor(value), p))
            if keeps and found is not None:
                states.setdefault(name, {})[key] = found
    return states


def state_of_scaler(scaler, skipped):
    """The numbers of a GradScaler, by Lockstep's names. `skipped`: steps that the optimizer did not take."""
    state = scaler.state_dict()
    return {SCALE: state['scale'], GROWTH_TRACKER: state['_growth_tracker'], SKIPPED: skipped, FOUND_INF: 0}


def as_float(value):
    return value.detach().float().cpu()


def groups_by_name(optimizer, named):
    """The optimizer's groups, with the names of their parameters."""
    names = {id(p): name for name, p in named}
    return [
        {key: [names[id(p)] for p in value] if key == 'params' else plain(value) for key, value in group.items()}
        for group in optimizer.param_groups
    ]


def plain(value):
    return value.item() if isinstance(value, torch.Tensor) else value


def numbered(ranks, order, patterns):
    """The groups of all ranks as one list, with parameters as numbers, like in torch; and the name of each number.

    `patterns`: a parameter is in the group of the first pattern that its name matches, else in the last group. A rank
    of a pipeline may lack a group.
    """
    merged = {}
    for group in [group for one in ranks for group in one['groups'] if group['params']]:
        matches = [fnmatchcase(group['params'][0], re.sub(r'[?[]', r'[\g<0>]', p)) for p in [*patterns, '*']]
        place = matches.index(True)
        names = merged.setdefault(place, {**group, 'params': []})['params']
        names += [name for name in dict.fromkeys(group['params']) if name not in names]
    groups = [merged[place] for place in sorted(merged)]
    for group in groups:
        group['params'].sort(key=order.index)
    names = [name for group in groups for name in group['params']]
    return [{**group, 'params': [names.index(name) for name in group['params']]} for group in groups], names
