"""Writes src/optim/fixtures/torch2-optim.json: parameters after 20 steps, with arguments newer than torch 1.13.

NAdam and RAdam got `maximize` and `decoupled_weight_decay` in torch 2.x, Adam got `decoupled_weight_decay`. Each
update is written out with plain tensor operations, in the order in which torch's documentation gives them; where torch
1.13 has the same arguments, its own optimiser must give the same parameters. Start and gradients are those of
optim.json.
Run: python3 scripts/torch2-references.py
"""
import base64, json, os, sys

if sys.argv[1:]:
    print(__doc__)
    sys.exit(0 if sys.argv[1] in ('-h', '--help') else 2)

import torch

torch.set_num_threads(1)
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../src/optim/fixtures')
KEPT = [1, 2, 3, 5, 10, 20]


def decode(stored):
    return torch.frombuffer(bytearray(base64.b64decode(stored['b64'])), dtype=torch.float32).reshape(stored['shape'])


def encode(tensor):
    data = tensor.detach().contiguous().numpy().tobytes()
    return {'shape': list(tensor.shape), 'dtype': 'f32', 'b64': base64.b64encode(data).decode()}


with open(os.path.join(FIXTURES, 'optim.json')) as file:
    stored = json.load(file)
START = [decode(p) for p in stored['init_params']]
GRADS = [[decode(g) for g in step] for step in stored['grads']]


class State:
    def __init__(self, p):
        self.step = 0
        self.mu_product = torch.tensor(1.0)
        self.exp_avg = torch.zeros_like(p)
        self.exp_avg_sq = torch.zeros_like(p)


def update(kind, p, grad, s, kw):
    lr, eps = kw['lr'], kw.get('eps', 1e-8)
    beta1, beta2 = kw.get('betas', (0.9, 0.999))
    s.step += 1
    if kw.get('maximize'):
        grad = -grad
    if kw.get('weight_decay', 0) != 0:
        if kw.get('decoupled_weight_decay'):
            p.mul_(1 - lr * kw['weight_decay'])
        else:
            grad = grad.add(p, alpha=kw['weight_decay'])
    if kind == 'Adam':
        s.exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
    else:
        s.exp_avg.lerp_(grad, 1 - beta1)
    s.exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    correction1, correction2 = 1 - beta1**s.step, 1 - beta2**s.step
    if kind == 'Adam':
        denominator = (s.exp_avg_sq.sqrt() / correction2**0.5).add_(eps)
        p.addcdiv_(s.exp_avg, denominator, value=-lr / correction1)
    elif kind == 'NAdam':
        decay = kw.get('momentum_decay', 4e-3)
        mu = beta1 * (1 - 0.5 * 0.96 ** (s.step * decay))
        following = beta1 * (1 - 0.5 * 0.96 ** ((s.step + 1) * decay))
        s.mu_product *= mu
        product = s.mu_product.item()
        denominator = s.exp_avg_sq.div(correction2).sqrt().add_(eps)
        p.addcdiv_(grad, denominator, value=-lr * (1 - mu) / (1 - product))
        p.addcdiv_(s.exp_avg, denominator, value=-lr * following / (1 - product * following))
    elif kind == 'RAdam':
        corrected = s.exp_avg / correction1
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * s.step * beta2**s.step / correction2
        if length > 5:
            rectified = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
            adaptive = correction2**0.5 / s.exp_avg_sq.sqrt().add_(eps)
            p.add_(corrected * lr * adaptive * rectified, alpha=-1)
        else:
            p.add_(corrected * lr, alpha=-1)


def run(kind, kw):
    ps = [p.clone() for p in START]
    states = [State(p) for p in ps]
    after = {}
    for t, grads in enumerate(GRADS, 1):
        for p, g, s in zip(ps, grads, states):
            update(kind, p, g.clone(), s, kw)
        if t in KEPT:
            after[t] = [p.clone() for p in ps]
    return after, states


def by_torch(kind, kw):
    ps = [torch.nn.Parameter(p.clone()) for p in START]
    optimizer = getattr(torch.optim, kind)(ps, foreach=False, **kw)
    for grads in GRADS:
        for p, g in zip(ps, grads):
            p.grad = g.clone()
        optimizer.step()
    return ps


def distance(a, b):
    return max((x - y).abs().max().item() for x, y in zip(a, b))


# With arguments that torch 1.13 has, the updates above equal those of torch 1.13.
DECAYED = {'lr': 0.01, 'weight_decay': 0.1}
assert distance(run('RAdam', DECAYED)[0][20], by_torch('RAdam', DECAYED)) < 1e-6
DECOUPLED = {**DECAYED, 'decoupled_weight_decay': True}
assert distance(run('Adam', DECOUPLED)[0][20], by_torch('AdamW', DECAYED)) < 1e-6

CASES = [
    ('NAdam', {'lr': 0.01, 'maximize': True}),
    ('NAdam', {'lr': 0.01, 'weight_decay': 0.1, 'decoupled_weight_decay': True}),
    ('NAdam', {**DECOUPLED, 'maximize': True, 'momentum_decay': 0.01}),
    ('NAdam', {'lr': 0.01, 'weight_decay': 0.1}),
    ('RAdam', {'lr': 0.01, 'maximize': True}),
    ('RAdam', {'lr': 0.01, 'weight_decay': 0.1, 'decoupled_weight_decay': True}),
    ('RAdam', {'lr': 0.02, 'betas': [0.8, 0.9], 'weight_decay': 0.2, 'decoupled_weight_decay': True, 'maximize': True}),
    ('Adam', {'lr': 0.01, 'weight_decay': 0.1, 'decoupled_weight_decay': True}),
]


def record(kind, kw):
    after, states = run(kind, kw)
    kept = [{'exp_avg': encode(s.exp_avg), 'exp_avg_sq': encode(s.exp_avg_sq)} for s in states]
    params = {t: [encode(p) for p in ps] for t, ps in after.items()}
    return {'optimizer': kind, 'kw': kw, 'params_after': params, 'final_state': kept}


with open(os.path.join(FIXTURES, 'torch2-optim.json'), 'w') as file:
    rows = ',\n'.join(json.dumps(record(*case), separators=(',', ':')) for case in CASES)
    file.write(f'[\n{rows}\n]\n')
