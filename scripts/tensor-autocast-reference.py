"""Writes src/training/fixtures/tensor-autocast.json: tensor parallelism of two ranks under torch.autocast, in bfloat16.

DTensor needs a newer torch than 1.13, so one process computes both ranks: each rank has its half of the columns or
rows as its own leaf, the partial results of a row-parallel layer are added in bfloat16, and rank 0 adds the bias inside
its product. Both ranks use the input of a pair, so autograd adds up its gradients, as the all-reduce would.
The backward pass of torch 1.13 adds up some products of bfloat16 in bfloat16; newer ones add up in float32 and round
once, and so does `Linear` here.
Run: python3 scripts/tensor-autocast-reference.py
"""
import base64, json, os, sys

if sys.argv[1:]:
    print(__doc__)
    sys.exit(0 if sys.argv[1] in ('-h', '--help') else 2)

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../src/training/fixtures/tensor-autocast.json')
SAMPLES, BATCH, STEPS, RANKS = 36, 6, 18, 2
SIZES = [5, 8, 6, 12, 4]
# For each Linear: the dimension of its weight that is divided among the ranks.
CUTS = [0, 1, 0, 1]


def encode(tensor):
    data = tensor.detach().contiguous().numpy().tobytes()
    return {'shape': list(tensor.shape), 'dtype': 'f32', 'b64': base64.b64encode(data).decode()}


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return F.linear(x, w, b)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        low = lambda value: value.to(g.dtype)
        return low(g.float() @ w.float()), low(g.float().T @ x.float()), low(g.float().sum(0))


def linear(x, w, b):
    """F.linear under autocast."""
    low = lambda value: value.to(torch.bfloat16)
    return Linear.apply(low(x), low(w), low(b))


class Cut:
    """A Linear, divided into the parts of the ranks."""

    def __init__(self, linear, dim):
        self.dim = dim
        self.weights = [w.detach().clone().requires_grad_() for w in linear.weight.chunk(RANKS, dim)]
        if dim == 0:
            self.biases = [b.detach().clone().requires_grad_() for b in linear.bias.chunk(RANKS)]
        else:
            self.biases = [linear.bias.detach().clone().requires_grad_()]

    def __call__(self, inputs):
        if self.dim == 0:
            return [linear(x, w, b) for x, w, b in zip(inputs, self.weights, self.biases)]
        biases = [self.biases[0], torch.zeros_like(self.biases[0])]
        first, second = (linear(x, w, b) for x, w, b in zip(inputs, self.weights, biases))
        return [first + second] * RANKS

    def parameters(self):
        return [*self.weights, *self.biases]

    def named(self, of):
        weight = torch.cat([of(w) for w in self.weights], self.dim)
        return {'weight': weight, 'bias': torch.cat([of(b) for b in self.biases])}


torch.manual_seed(0)
dataset = TensorDataset(torch.randn(SAMPLES, SIZES[0]), torch.randn(SAMPLES, SIZES[-1]))
layers = [Cut(nn.Linear(i, o), cut) for i, o, cut in zip(SIZES, SIZES[1:], CUTS)]
optimizer = torch.optim.SGD([p for layer in layers for p in layer.parameters()], lr=0.1, momentum=0.9)
loader = DataLoader(dataset, batch_size=BATCH, shuffle=True)


def whole(of):
    named = [layer.named(of) for layer in layers]
    return {f'{2 * i}.{name}': encode(value) for i, tensors in enumerate(named) for name, value in tensors.items()}


losses, first_grads = [], None
while len(losses) < STEPS:
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast('cpu', dtype=torch.bfloat16):
            values = [x] * RANKS
            for i, layer in enumerate(layers):
                values = layer(values)
                if i < len(layers) - 1:
                    # A whole tensor is computed once: autograd then adds up the gradients of the ranks.
                    values = [torch.tanh(v) for v in values] if layer.dim == 0 else [torch.tanh(values[0])] * RANKS
            loss = F.mse_loss(values[0], y)
        loss.backward()
        first_grads = first_grads or whole(lambda p: p.grad)
        optimizer.step()
        losses.append(loss.item())

run = {'torch': torch.__version__, 'samples': SAMPLES, 'batch': BATCH, 'sizes': SIZES, 'losses': losses}
with open(OUT, 'w') as file:
    json.dump({**run, 'first_step_grads': first_grads, 'final_params': whole(lambda p: p)}, file, indent=1)
    file.write('\n')
print(losses)
