"""The few functions of the package safetensors that listings and torch.distributed.checkpoint call, in Python alone.

For tests on machines without the package: run-torch-scripts.py and src/training/parity/dcp.torch.test.ts add this
folder to Python's path. An installed safetensors is preferred.
"""

import contextlib, json, struct

import torch as pt  # the name torch is a submodule's here

DTYPES = {
    'F64': pt.float64,
    'F32': pt.float32,
    'F16': pt.float16,
    'BF16': pt.bfloat16,
    'I32': pt.int32,
    'I64': pt.int64,
    'U8': pt.uint8,
}


class Slice:
    """A tensor of the file that is read when it is indexed."""

    def __init__(self, file, name):
        self.file, self.name = file, name

    def get_shape(self):
        return self.file.header[self.name]['shape']

    def get_dtype(self):
        return self.file.header[self.name]['dtype']

    def __getitem__(self, slices):
        return self.file.get_tensor(self.name)[slices]


class safe_open(contextlib.AbstractContextManager):
    def __init__(self, filename, framework='pt', device='cpu'):
        with open(filename, 'rb') as f:
            data = f.read()
        (length,) = struct.unpack('<Q', data[:8])
        self.header = json.loads(data[8 : 8 + length])
        self.about = self.header.pop('__metadata__', {})
        self.data = data[8 + length :]

    def __exit__(self, *_):
        return None

    def keys(self):
        return list(self.header)

    def metadata(self):
        return self.about

    def get_tensor(self, name):
        entry = self.header[name]
        start, end = entry['data_offsets']
        if start == end:
            return pt.empty(entry['shape'], dtype=DTYPES[entry['dtype']])
        flat = pt.frombuffer(bytearray(self.data[start:end]), dtype=DTYPES[entry['dtype']])
        return flat.reshape(entry['shape'])

    def get_slice(self, name):
        return Slice(self, name)
