"""The two files of a checkpoint: writes them so that a complete checkpoint always exists, reads and checks them.

If saving is killed at any moment, the previous checkpoint remains. Lockstep uses the same files.
"""

import json
import os
import shutil
import sys
import zlib

import torch
import torch.distributed as dist

from tensors import bytes_of, read_file, save_file

# How long a run is and where it begins: these differ in every resumed run.
LENGTH = ('steps', 'epochs', 'resume', 'resumeBy')

# These decide which rows a rank reads: in every mode, and by mode.
OF_BATCHES = ('data', 'loss', 'batchSize', 'accumulate', 'shuffle', 'dropLast', 'seed')
OF_REPLICAS = ('ddp.samplerSeed', 'ddp.setEpoch', 'ddp.rankSeeds', 'ddp.samplesPerRank', 'ddp.join')
OF_DATA_AXES = ('mesh.dpReplicate', 'mesh.dpShard', 'ddp.samplerSeed', 'ddp.setEpoch')
OF_SAMPLERS = {
    'ddp': OF_REPLICAS,
    'pipeline': OF_DATA_AXES,
    'sharded': OF_DATA_AXES,
    'tensor': OF_DATA_AXES,
}


def replace_pair(base, weights, tensors, about):
    """Writes both files under temporary names, then renames the model and last the state, whose checksums tell which
    model belongs to it. If it is killed between the two, the previous model remains as .previous."""
    model, state, previous = f'{base}.safetensors', f'{base}.state.safetensors', f'{base}.safetensors.previous'
    save_file(weights, f'{model}.part', {'format': 'pt'})
    save_file(tensors, f'{state}.part', about)
    first = not (os.path.exists(model) and os.path.exists(state))
    if not first and not (os.path.exists(previous) and belong_together(previous, state)):
        second_name(model, previous)
    os.replace(f'{model}.part', model)
    os.replace(f'{state}.part', state)
    if os.path.exists(previous):
        os.remove(previous)


def second_name(path, other):
    if os.path.exists(other):
        os.remove(other)
    try:
        os.link(path, other)
    except OSError:  # the file system has no links
        shutil.copyfile(path, f'{other}.part')
        os.replace(f'{other}.part', other)


def belong_together(model, state):
    try:
        check_pair(read_file(model)[0], *read_file(state))
        return True
    except (OSError, ValueError):
        return False


def read_pair(base):
    """Weights, tensors of the state, and the metadata of the state. ValueError or OSError: no valid checkpoint."""
    tensors, about = read_file(f'{base}.state.safetensors')
    model = f'{base}.safetensors'
    if os.path.exists(f'{model}.previous') and belong_together(f'{model}.previous', f'{base}.state.safetensors'):
        model = f'{model}.previous'
    weights, _ = read_file(model)
    try:
        check_pair(weights, tensors, about)
    except ValueError as error:
        raise ValueError(f'{base}.safetensors and {base}.state.safetensors: {error}') from None
    return weights, tensors, about


def check_pair(weights, tensors, about):
    """Raises ValueError if these tensors were not saved together."""
    saved = json.loads(about.get('crc32', '{}'))
    plain = {without_wrapper(name): tensor for name, tensor in weights.items()}
    for what, found in (('model', plain), ('state', tensors)):
        sums = crcs(found)
        for name, expected in saved.get(what, sums).items():
            if sums.get(name) != expected:
                raise ValueError(f'the tensor {name} of the {what} was not saved together with the other file')


def without_wrapper(name):
    """The name without the prefix of a wrapper such as DistributedDataParallel."""
    return name[len('module.') :] if name.startswith('module.') else name


def was_saved(base, rank, device):
    """Is there a checkpoint to resume from? Rank 0 checks for all ranks. A damaged checkpoint ends the run."""
    found = 0
    if rank == 0 and os.path.exists(f'{base}.state.safetensors'):
        try:
            read_pair(base)
            found = 1
        except (OSError, ValueError) as error:
            print(f'train.py: {error}. Remove these files to train from the start.', file=sys.stderr, flush=True)
            found = -1
    found = word_of_rank_0(found, device)
    if found < 0:
        leave(1)
    return found > 0


def word_of_rank_0(number, device):
    """Returns rank 0's number on all ranks."""
    said = torch.tensor([number], dtype=torch.int64, device=device)
    if dist.is_initialized():
        dist.broadcast(said, 0)
    return int(said.item())


def leave(status):
    """Exits without training; every rank calls it. No rank exits while another still needs the process group."""
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()
    sys.exit(status)


def why_not(base, model, optimizer_type):
    """Why training cannot resume from these files; None: it can."""
    if not os.path.exists(f'{base}.state.safetensors'):
        return f'there is no checkpoint {base} ({base}.state.safetensors is missing)'
    try:
        weights, _, about = read_pair(base)
    except (OSError, ValueError) as error:
        return str(error)
    saved = {without_wrapper(name): list(tensor.shape) for name, tensor in weights.items()}
    own = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    for name in [*own, *saved]:
        if name not in saved and name.endswith('.num_batches_tracked'):
            continue  # load_state_dict starts it at 0
        if name not in saved:
            return f'the checkpoint {base} lacks the tensor {name}, which the net of this run has'
        if name not in own:
            return f'the checkpoint {base} has a tensor {name}, which the net of this run lacks'
        if saved[name] != own[name] and counts(saved[name]) != counts(own[name]):
            return f'in the checkpoint {base} the tensor {name} has the shape {saved[name]}, not {own[name]}'
    kind = json.loads(about.get('config', '{}')).get('optimizer', {}).get('type')
    if kind is not None and kind != optimizer_type:
        return f'the checkpoint {base} was saved with {kind}, but this run uses {optimizer_type}'
    return None


def counts(shape):
    """BatchNorm's counter is a scalar in torch and a list of one number in Lockstep's files."""
    return shape or [1]


def other_settings(about, config):
    """The settings in which this run differs from the checkpoint, by their names in config.json."""
    saved, now = both(about, config)
    return [key for key in now if key in saved and key not in LENGTH and saved[key] != now[key]]


def same_batches(about, config):
    """Do the settings that decide the rows of a batch equal those of the checkpoint?"""
    saved, now = both(about, config)
    for path in OF_BATCHES + OF_SAMPLERS.get(config['mode'], ()):
        section, _, key = path.partition('.')
        if section in saved and section in now:
            pair = saved[section], now[section]
            if pair[0] != pair[1] and (not key or pair[0].get(key) != pair[1].get(key)):
                return False
    return True


def both(about, config):
    """The configurations of the checkpoint and of this run. A setting that one of them leaves out has its default."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'defaults.json')) as f:
        defaults = json.load(f)
    return completed(json.loads(about.get('config', '{}')), defaults), completed(config, defaults)


def completed(settings, defaults):
    """The settings, with the defaults of those that are left out."""
    full = dict(settings)
    for name, default in defaults.items():
        if name not in full:
            full[name] = default
        elif isinstance(default, dict) and isinstance(full[name], dict):
            full[name] = completed(full[name], default)
    return full


def compact(value):
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


def crcs(tensors):
    return {name: zlib.crc32(bytes_of(tensor)) for name, tensor in tensors.items()}
