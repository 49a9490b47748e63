"""Reads and writes files of tensors (.safetensors).

The format is an 8-byte length, a JSON header with the place of every tensor, and their bytes.
"""

import ctypes
import json
import os
import struct

import torch

DTYPES = {
    'F64': torch.float64, 'F32': torch.float32, 'F16': torch.float16, 'BF16': torch.bfloat16,
    'I64': torch.int64, 'I32': torch.int32, 'U8': torch.uint8, 'BOOL': torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def load_file(path, device='cpu'):
    """All tensors of a file, by name."""
    return read_file(path, device)[0]


def read_file(path, device='cpu'):
    """All tensors of a file by name, and the metadata of the file."""
    with open(path, 'rb') as f:
        data = bytearray(f.read())
    if len(data) < 8 or 8 + struct.unpack('<Q', data[:8])[0] > len(data):
        raise ValueError(f'{path} is not a .safetensors file, or its end is missing ({len(data)} bytes)')
    (length,) = struct.unpack('<Q', data[:8])
    header = json.loads(bytes(data[8 : 8 + length]))
    about = header.pop('__metadata__', {})
    tensors = {}
    for name, entry in header.items():
        start, end = (8 + length + offset for offset in entry['data_offsets'])
        if end > len(data):
            raise ValueError(f'{path} ends within the tensor {name}: {len(data)} bytes instead of {end}')
        dtype = DTYPES[entry['dtype']]
        flat = torch.empty(0, dtype=dtype) if start == end else torch.frombuffer(data[start:end], dtype=dtype)
        tensors[name] = flat.reshape(entry['shape']).to(device)
    return tensors, about


def bytes_of(tensor):
    """Row-major, little-endian."""
    flat = tensor.detach().cpu().contiguous()
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size())


def save_file(tensors, path, about=None):
    """Writes tensors by name, with `about` as the metadata of the file."""
    header, parts, offset = {}, [], 0
    if about:
        header['__metadata__'] = about
    for name, tensor in tensors.items():
        part = bytes_of(tensor)
        header[name] = {
            'dtype': NAMES[tensor.dtype],
            'shape': list(tensor.shape),
            'data_offsets': [offset, offset + len(part)],
        }
        parts.append(part)
        offset += len(part)
    text = json.dumps(header, separators=(',', ':'), ensure_ascii=False).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text)
        for part in parts:
            f.write(part)
        f.flush()
        os.fsync(f.fileno())  # on the disk before the file is renamed
