"""Measures PyTorch on the workloads of the benchmark, on the GPU or the CPU of this machine.

Eager, float32, data on the device, a synchronisation every 100 ms. gpu-figures.mjs calls it with the options and a file
for the result; it exits with a sentence if there is no PyTorch with CUDA. LOCKSTEP_TORCH_DEVICE=cpu: on the CPU.

pytorch-contender.mjs calls it with --serve, on the CPU: each line of standard input names a workload ("open cnn") or
asks for a round ("measure 500", in milliseconds), and each is answered with a line of JSON.
"""
import json
import os
import re
import sys
import time

if sys.argv[1:2] != ["--serve"] and any(word.startswith("-") for word in sys.argv[1:]):
    print(__doc__)
    sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)

try:
    import torch
    from torch import nn
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"python has no torch: {error}")

DEVICE = os.environ.get("LOCKSTEP_TORCH_DEVICE", "cuda")
if DEVICE == "cuda" and not torch.cuda.is_available():
    sys.exit(f"torch {torch.__version__} sees no CUDA device")
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
BATCHES = 4


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def timed(step, milliseconds):
    """Steps per second, counted as in timed.ts."""

    def run(count):
        started = time.perf_counter()
        for _ in range(count):
            step()
        wait()
        return time.perf_counter() - started

    count = 1
    while run(count) < 0.1:
        count *= 2
    steps, started = 0, time.perf_counter()
    while True:
        run(count)
        steps += count
        passed = time.perf_counter() - started
        if passed >= milliseconds / 1000:
            return steps / passed


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            mask = torch.full((t, t), float("-inf"), device=x.device).triu(1)
            attended = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + mask).softmax(-1) @ v
        x = x + self.proj(attended.transpose(1, 2).reshape(n, t, width))
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x))))


class Gpt(nn.Module):
    def __init__(self, vocab=65, context=64, width=128, heads=4, layers=4):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.lnf, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, x):
        return self.head(self.lnf(self.blocks(self.tok(x) + self.pos.weight))).flatten(0, 1)


def mlp(sizes, activation):
    layers = [layer for into, out in zip(sizes, sizes[1:]) for layer in (nn.Linear(into, out), activation())]
    return nn.Sequential(*layers[:-1])


def cnn():
    def block(into, out):
        return [nn.Conv2d(into, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]

    return nn.Sequential(*block(1, 8), *block(8, 16), nn.Flatten(), nn.Linear(16 * 49, 10))


def trainer(model, loss, optimizer, make_batch):
    model.to(DEVICE)
    optimizer = optimizer(model.parameters())
    batches = [[part.to(DEVICE) for part in make_batch()] for _ in range(BATCHES)]
    position = 0

    def step():
        nonlocal position
        x, y = batches[position % BATCHES]
        position += 1
        optimizer.zero_grad(set_to_none=True)
        loss(model(x), y).backward()
        optimizer.step()

    return step


def product(size):
    a, b, c = (torch.rand(size, size, device=DEVICE) for _ in range(3))
    return lambda: torch.mm(a, b, out=c)


def sgd(rate):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.001)


def classes(rows, shape, count=10):
    return lambda: (torch.rand(rows, *shape) * 2 - 1, torch.randint(count, (rows,)))


def workloads():
    cross_entropy, mse = nn.CrossEntropyLoss(), nn.MSELoss()
    for size in (256, 512, 1024):
        yield f"matmul-{size}", 2 * size**3 / 1e9, lambda size=size: product(size)
    for sizes in ([2, 4, 2, 1], [2, 8, 8, 8, 1]):
        batch = lambda: (torch.rand(10, 2), torch.rand(10, 1))
        name = "small-" + "-".join(map(str, sizes))
        yield name, 1, lambda sizes=sizes: trainer(mlp(sizes, nn.Tanh), mse, sgd(0.1), batch)
    for name, optimizer in (("sgd", sgd(0.1)), ("adam", adam)):
        make = lambda optimizer=optimizer: trainer(
            mlp([784, 256, 128, 10], nn.ReLU), cross_entropy, optimizer, classes(128, [784])
        )
        yield f"mlp-784-{name}", 1, make
    yield "cnn", 1, lambda: trainer(cnn(), cross_entropy, sgd(0.05), classes(64, [1, 28, 28]))
    tokens = lambda: (torch.randint(65, (16, 64)), torch.randint(65, (16 * 64,)))
    yield "gpt", 1, lambda: trainer(Gpt(), cross_entropy, adam, tokens)


def main():
    options = {"only": [], "rounds": 5, "milliseconds": 500, **json.loads((sys.argv[1:2] or ["{}"])[0])}
    file = (sys.argv[2:3] or ["pytorch.json"])[0]
    rounds = {}
    for name, per_run, make in workloads():
        if options["only"] and not any(name.startswith(each) for each in options["only"]):
            continue
        step = make()
        rounds[name] = [timed(step, options["milliseconds"]) * per_run for _ in range(options["rounds"])]
        print(f"{name}, PyTorch: {sorted(rounds[name])[len(rounds[name]) // 2]:.4g}", flush=True)
    device = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    with open(file, "w") as out:
        json.dump({"version": torch.__version__, "device": device, "rounds": rounds}, out)


def blas():
    """The file name of the BLAS library; the library of a Linux distribution may be slow."""
    try:
        with open("/proc/self/maps") as maps:
            loaded = {os.path.basename(os.path.realpath(line.split()[-1])) for line in maps if ".so" in line}
    except OSError:
        return None
    known = sorted(name for name in loaded if re.match(r"lib(open)?blas|libmkl_rt|libmkl_core", name))
    return ", ".join(known) or ("MKL" if torch.backends.mkl.is_available() else None)


def serve():
    torch.set_num_threads(1)
    made = {name: (per_run, make) for name, per_run, make in workloads()}
    step = None
    for line in sys.stdin:
        word, value = line.split()
        if word == "open":
            step = made[value][1]()
            step()
            answer = {"version": torch.__version__, "blas": blas()}
        else:
            answer = {"rate": timed(step, float(value))}
        print(json.dumps(answer), flush=True)


if sys.argv[1:2] == ["--serve"]:
    serve()
else:
    main()
