"""safetensors.torch: load_file and save_file, and the name of a dtype for torch.distributed.checkpoint."""

import json, struct

import torch

from . import DTYPES, safe_open


def _getdtype(name):
    return DTYPES[name]


def load_file(filename, device='cpu'):
    with safe_open(filename) as f:
        return {name: f.get_tensor(name) for name in f.keys()}


def save_file(tensors, filename, metadata=None):
    names = {dtype: name for name, dtype in DTYPES.items()}
    header, chunks, end = ({'__metadata__': metadata} if metadata else {}), [], 0
    for name, tensor in tensors.items():
        chunk = tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()
        offsets = [end, end + len(chunk)]
        header[name] = {'dtype': names[tensor.dtype], 'shape': list(tensor.shape), 'data_offsets': offsets}
        chunks.append(chunk)
        end += len(chunk)
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(filename, 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text + b''.join(chunks))
