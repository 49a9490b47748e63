"""The two files of a checkpoint on the disk: replaced so that one of the two saves is always whole, read and checked.

A save that is killed, at any moment, leaves the checkpoint before it. Lockstep reads and leaves the same files.
"""

import json
import os
import shutil
import sys
import zlib

import torch
import torch.distributed as dist

from tensors import bytes_of, read_file, save_file

# How far a run goes and where it begins: other in every run that goes on.
LENGTH = ('steps', 'epochs', 'resume', 'resumeBy')


def replace_pair(base, weights, tensors, about):
    """Both files are written under other names first, then renamed: the model, and last the state, which says by its
    checksums which model belongs to it. Killed between the two, it leaves the model before as .previous."""
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
    except OSError:  # a file system without links
        shutil.copyfile(path, f'{other}.part')
        os.replace(f'{other}.part', other)


def belong_together(model, state):
    try:
        check_pair(read_file(model)[0], *read_file(state))
        return True
    except (OSError, ValueError):
        return False


def read_pair(base):
    """Weights, tensors of the state, and what the state says of itself. ValueError or OSError: there is none."""
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
    """ValueError: these are not the tensors that were saved together."""
    saved = json.loads(about.get('crc32', '{}'))
    plain = {without_wrapper(name): tensor for name, tensor in weights.items()}
    for what, found in (('model', plain), ('state', tensors)):
        sums = crcs(found)
        for name, expected in saved.get(what, sums).items():
            if sums.get(name) != expected:
                raise ValueError(f'the tensor {name} of the {what} is not the one that was saved with the other file')


def without_wrapper(name):
    """The name in a model that was saved in its wrapper, DistributedDataParallel say."""
    return name[len('module.') :] if name.startswith('module.') else name


def was_saved(base, rank, device):
    """Is there a checkpoint to go on from? Rank 0 looks, so that all ranks do the same. A damaged one ends the run."""
    found = 0
    if rank == 0 and os.path.exists(f'{base}.state.safetensors'):
        try:
            read_pair(base)
            found = 1
        except (OSError, ValueError) as error:
            print(f'train.py: {error}. Remove these files to begin at the start.', file=sys.stderr, flush=True)
            found = -1
    found = word_of_rank_0(found, device)
    if found < 0:
        leave(1)
    return found > 0


def word_of_rank_0(number, device):
    """On all ranks the number that rank 0 gives."""
    said = torch.tensor([number], dtype=torch.int64, device=device)
    if dist.is_initialized():
        dist.broadcast(said, 0)
    return int(said.item())


def leave(status):
    """Ends this rank without training; every rank calls it. None goes while another still needs the process group."""
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()
    sys.exit(status)


def why_not(base, model, optimizer_type):
    """Why training cannot go on from these files, in words; None: it can."""
    if not os.path.exists(f'{base}.state.safetensors'):
        return f'there is no checkpoint {base} ({base}.state.safetensors)'
    try:
        weights, _, about = read_pair(base)
    except (OSError, ValueError) as error:
        return str(error)
    saved = {without_wrapper(name): list(tensor.shape) for name, tensor in weights.items()}
    own = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    for name in [*own, *saved]:
        if name not in saved and name.endswith('.num_batches_tracked'):
            continue  # load_state_dict begins it at 0
        if name not in saved:
            return f'the checkpoint {base} lacks the tensor {name}, which the net of this run has'
        if name not in own:
            return f'the checkpoint {base} has a tensor {name}, which the net of this run lacks'
        if saved[name] != own[name] and counts(saved[name]) != counts(own[name]):
            return f'in the checkpoint {base} the tensor {name} has the shape {saved[name]}, in this run {own[name]}'
    kind = json.loads(about.get('config', '{}')).get('optimizer', {}).get('type')
    if kind is not None and kind != optimizer_type:
        return f'the checkpoint {base} is of {kind}, this run has {optimizer_type}'
    return None


def counts(shape):
    """BatchNorm's counter is one number, in files of Lockstep a list of one."""
    return shape or [1]


def other_settings(about, config):
    """The settings that this run does not have from the checkpoint, by their names in config.json."""
    saved = json.loads(about.get('config', '{}'))
    return [key for key in config if key in saved and key not in LENGTH and saved[key] != config[key]]


def compact(value):
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


def crcs(tensors):
    return {name: zlib.crc32(bytes_of(tensor)) for name, tensor in tensors.items()}
