/**
 * The listing against the configuration it stands for, the anchors of the Programs that point at it, and the grammar of
 * Python.
 */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { PARALLEL_MODES, PROGRAM_OPS } from '../../parallel/modes';
import { type Config, type ConfigInput, configSchema, MODES } from '../../protocol/config';
import { fullStep, type MicroBatchKind, type TrainingKind } from '../../protocol/step-kind';

/** As a blueprint hands the configuration on. A mode that cuts its batches by itself takes no `accumulate`. */
function listing({ accumulate, ...input }: ConfigInput) {
  const parsed = v.parse(configSchema, { worldSize: 2, ...input });
  const mode = PARALLEL_MODES[parsed.mode];
  const { batches, compiler } = mode.facets(parsed);
  const cuts = batches.pieces !== undefined;
  const open =
    cuts || accumulate === undefined ? parsed : v.parse(configSchema, { worldSize: 2, ...input, accumulate });
  const config = compiler.settle?.(inputOf(open)) ?? open;
  return { config, code: mode.listing.get()(config) };
}

function inputOf(config: Config) {
  const [first] = config.model.layers;
  return {
    config,
    ops: PROGRAM_OPS,
    inputShape: [first?.type === 'Linear' ? first.in : 2],
    inputType: 'f32' as const,
    targetShape: [1],
    targetType: 'f32' as const,
  };
}

const textOf = (input: ConfigInput): string =>
  listing(input)
    .code.map((l) => l.text)
    .join('\n');

/** Anchors of every instruction that the mode's Programs emit. */
function anchorsOf(config: Config): ReadonlySet<string> {
  const mode = PARALLEL_MODES[config.mode];
  const { batches, compiler } = mode.facets(config);
  const input = inputOf(config);
  const batch = Array.from({ length: mode.mesh(config).dataIndices }, () => 8);
  const kindOf = (different: Partial<MicroBatchKind>): TrainingKind => {
    const whole = fullStep(batch, different);
    const pieces = batches.pieces?.(config, batch);
    if (pieces === undefined) return whole;
    const microBatches = Array.from({ length: pieces }, () => whole.microBatches).flat();
    return { ...whole, microBatches, ofOneBatch: true };
  };
  const programs = [
    compiler.compile(input, kindOf({})),
    compiler.compile(input, kindOf({ beforeRebuild: true })),
    compiler.construct?.(input),
  ];
  return new Set(programs.flatMap((p) => p?.lanes.flatMap((lane) => lane.instructions.map((i) => i.anchor)) ?? []));
}

describe.each(MODES)('%s', (mode) => {
  test.each([2, 3])('has exactly one line for each anchor of its Programs (%i devices)', (worldSize) => {
    const { config, code } = listing({ mode, worldSize });
    for (const anchor of anchorsOf(config)) {
      expect(
        code.filter((l) => l.anchor === anchor).map((l) => l.text),
        anchor,
      ).toHaveLength(1);
    }
    for (const { anchor } of code) expect(anchor).not.toBe('');
  });

  test.each([1, 3])('also with clipping, a schedule and %i micro-batches per step', (accumulate) => {
    const { config, code } = listing({
      mode,
      accumulate,
      clipGradNorm: 1,
      scheduler: { type: 'StepLR', stepSize: 2 },
      optimizer: { type: 'NAdam' },
    });
    const anchors = code.map((l) => l.anchor);
    for (const anchor of anchorsOf(config))
      expect(
        anchors.filter((a) => a === anchor),
        anchor,
      ).toHaveLength(1);
    const order = ['backward', 'clip', 'step', 'scheduler'].map((anchor) => anchors.indexOf(anchor));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    checkPython(code.map((l) => l.text));
  });

  test('is a short listing that Python could parse', () => {
    const { code } = listing({ mode, dropLast: true });
    expect(code.length).toBeGreaterThanOrEqual(12);
    // A pipeline also has stages and a schedule, and says what schedule.step() does. A rank of DDP looks for a GPU, and
    // lets the wrapper go before the process group. A rank of a tensor group has a mesh and a plan, one of a
    // shard group a mesh and units.
    expect(code.length).toBeLessThanOrEqual({ pipeline: 64, tensor: 52, sharded: 52, ddp: 48 }[mode as string] ?? 45);
    checkPython(code.map((l) => l.text));
  });

  test('carries the settings', () => {
    const text = textOf({
      mode,
      seed: 1234,
      batchSize: 48,
      epochs: 7,
      optimizer: { type: 'SGD', lr: 0.03, momentum: 0.8, weightDecay: 0.001, nesterov: true },
      loss: { type: 'CrossEntropyLoss', reduction: 'sum' },
      model: {
        layers: [
          { type: 'Linear', in: 11, out: 13, bias: false },
          { type: 'GELU' },
          { type: 'Linear', in: 13, out: 3 },
        ],
      },
    });
    expect(text).toContain('torch.manual_seed(1234)');
    expect(text).toContain(`batch_size=${mode === 'ddp' || mode === 'sharded' ? 24 : 48}`);
    expect(text).toContain('range(7)');
    const parameters = mode === 'pipeline' ? 'parameters.values()' : 'model.parameters()';
    const more = mode === 'tensor' ? ', foreach=False' : '';
    expect(text).toContain(
      `torch.optim.SGD(${parameters}, lr=0.03, momentum=0.8, weight_decay=0.001, nesterov=True${more})`,
    );
    expect(text).toContain("nn.CrossEntropyLoss(reduction='sum')");
    expect(text).toContain('nn.Linear(11, 13, bias=False)');
    expect(text).toContain('nn.Linear(13, 3)');
  });
});

test('single: the plain training script', () => {
  const text = textOf({
    model: { layers: [{ type: 'Linear', in: 2, out: 8 }, { type: 'Tanh' }, { type: 'Linear', in: 8, out: 1 }] },
  });
  expect(text).toBe(`import math
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')
torch.manual_seed(0)
i = torch.arange(500)
r = i // 2 / 250
r, a = 5 / 6 * r, (3.5 * r + i % 2) * torch.pi
x = torch.stack((r * a.sin(), r * a.cos()), 1)
c = i % 2 == 0
y = c[:, None].float()
dataset = TensorDataset(x, y)
steps = 100
model = nn.Sequential(
    nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1),
).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loss_fn = nn.BCEWithLogitsLoss()
loader = DataLoader(dataset, batch_size=32, shuffle=True, pin_memory=device.type == 'cuda')
step = 0
for epoch in range(math.ceil(steps / len(loader))):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        optimizer.zero_grad()
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        print(loss.item())
        step += 1
        if step == steps:
            break`);
});

test.each(MODES)('%s draws the data between the seed and the model, as the run does', (mode) => {
  const text = textOf({ mode, data: { type: 'xor', testFraction: 0.2 } });
  const places = ['torch.manual_seed(0)', 'torch.rand(500, 2)', 'random_split(', 'model = '].map((t) =>
    text.indexOf(t),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(text.match(/^steps = 100$/gm)).toHaveLength(1);
  const epochs = textOf({ mode, epochs: 3 });
  expect(epochs).not.toMatch(/^ *steps?\b.*=/m);
  expect(epochs).toContain('for epoch in range(3):');
});

test('DDP: sampler, epochs and buckets as configured', () => {
  const text = textOf({
    mode: 'ddp',
    worldSize: 4,
    shuffle: false,
    dropLast: true,
    ddp: { bucketCapMb: 0.5, samplerSeed: 9 },
  });
  expect(text).toContain('--nproc_per_node=4');
  expect(text).toContain('DistributedDataParallel(model, device_ids=[device] if gpus else None, bucket_cap_mb=0.5)');
  expect(text).toContain('DistributedSampler(dataset, shuffle=False, seed=9, drop_last=True)');
  expect(text.indexOf('sampler.set_epoch(epoch)')).toBeLessThan(text.indexOf('for x, y in loader'));
  expect(textOf({ mode: 'ddp' })).not.toContain('bucket_cap_mb');
  expect(textOf({ mode: 'ddp' })).toContain('buckets all-reduced while backward runs');
  expect(textOf({ mode: 'ddp', ddp: { overlap: false, algorithm: 'naive' } })).toContain(
    'buckets all-reduced naively after backward',
  );
});

test('of the algorithms of an all-reduce torch can choose one, by NCCL_ALGO', () => {
  expect(textOf({ mode: 'ddp' })).not.toContain('NCCL');
  const double = textOf({ mode: 'ddp', ddp: { algorithm: 'doubleTree' } });
  expect(double).toContain('import os');
  // NCCL 2.24 ends with 'Tree' alone: the broadcast of DDP's constructor has no tree.
  const choice = double.indexOf("os.environ['NCCL_ALGO'] = 'ring,tree;allreduce:tree'");
  expect(choice).toBeGreaterThan(-1);
  expect(choice).toBeLessThan(double.indexOf('init_process_group'));
  expect(double).toContain('inside one NCCL makes a chain');
  const nodes = textOf({ mode: 'ddp', worldSize: 4, nodes: 2, ddp: { algorithm: 'doubleTree' } });
  expect(nodes).not.toContain('chain');
  expect(textOf({ mode: 'ddp', ddp: { algorithm: 'halvingDoubling' } })).toContain('cannot be chosen in torch');
});

test('accumulation: micro-batches, the divided loss, a step after its micro-batches', () => {
  const text = textOf({ accumulate: 4, batchSize: 34, clipGradNorm: 0.5 });
  expect(text).toContain('batch_size=8,');
  expect(text.slice(text.indexOf('batches = 0'))).toBe(`batches = 0
for epoch in range(math.ceil(steps * 4 / len(loader))):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        batches += 1
        output = model(x)
        loss = loss_fn(output, y)
        (loss / 4).backward()
        if batches % 4 == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()
        print(loss.item())
        if batches == steps * 4:
            break`);
});

test.each<[ConfigInput, readonly string[]]>([
  [{ clipGradNorm: 0.5, clipGradNormType: 2 }, ['clip_grad_norm_(model.parameters(), 0.5)']],
  [{ clipGradNorm: 0.5, clipGradNormType: 1 }, ['clip_grad_norm_(model.parameters(), 0.5, norm_type=1)']],
  [{ clipGradValue: 0.1 }, ['clip_grad_value_(model.parameters(), 0.1)']],
  [
    { clipGradNorm: 0.5, clipGradNormType: 'inf', clipGradValue: 0.1 },
    ["clip_grad_norm_(model.parameters(), 0.5, norm_type='inf')", 'clip_grad_value_(model.parameters(), 0.1)'],
  ],
  [{ clipGradNormType: 'inf' }, []],
])('clipping comes right before the step: %j', (config, calls) => {
  // Stages of a pipeline and parts of layers clip by the norm over all of them: the modes' own listing.test.ts.
  for (const mode of MODES.filter((name) => name !== 'pipeline' && name !== 'tensor')) {
    const lines = textOf({ ...config, mode, worldSize: 2 })
      .split('\n')
      .map((text) => text.trim());
    const step = lines.indexOf('optimizer.step()');
    expect(lines.slice(step - calls.length, step)).toEqual(calls.map((call) => `nn.utils.${call}`));
    expect(lines.filter((text) => text.includes('clip_grad')).length).toBe(calls.length);
  }
});

test('DDP reduces with the last micro-batch alone', () => {
  const { code } = listing({ mode: 'ddp', worldSize: 2, batchSize: 32, accumulate: 2 });
  const text = code.map((l) => l.text).join('\n');
  expect(text).toContain('from contextlib import nullcontext');
  expect(text).toContain('batch_size=8,');
  expect(code.find((l) => l.anchor === 'no_sync')?.text).toBe(
    '        with nullcontext() if batches % 2 == 0 else model.no_sync():',
  );
  expect(code.find((l) => l.anchor === 'backward')?.text).toBe('            (loss / 2).backward()');
  expect(textOf({ mode: 'ddp' })).not.toContain('no_sync');
});

test('a schedule moves on after the step, or after the epoch', () => {
  const every = (when: 'step' | 'epoch') =>
    textOf({ epochs: 2, scheduler: { type: 'ExponentialLR', gamma: 0.9, every: when } })
      .split('\n')
      .slice(-3);
  expect(every('step')[1]).toBe('        scheduler.step()');
  expect(every('epoch')[2]).toBe('    scheduler.step()');
});

test('tokens: a logit vector at every position', () => {
  const text = textOf({
    data: { type: 'sequence', samples: 50 },
    loss: { type: 'CrossEntropyLoss' },
    model: {
      layers: [
        { type: 'Embedding', vocab: 11, width: 4 },
        { type: 'Linear', in: 4, out: 11 },
      ],
    },
  });
  expect(text).toContain('loss = loss_fn(output.flatten(0, 1), y.flatten())');
});

test('comments say what the script cannot do: masks on CUDA, checkpointing under model parallel', () => {
  const layers = [{ type: 'Linear' as const, in: 2, out: 1 }, { type: 'Dropout' as const }];
  expect(textOf({ model: { layers } })).toContain('# dropout: the run has the masks that torch draws on the CPU');
  expect(textOf({})).not.toContain('# dropout');
  expect(textOf({ mode: 'modelParallel', checkpointSegments: 2 })).toContain('# the run also checkpoints 2 segments');
});

test('activations are computed again by checkpoint_sequential, in a forward that a wrapper can call', () => {
  const text = textOf({ mode: 'ddp', checkpointSegments: 2 });
  expect(text).toContain('from torch.utils.checkpoint import checkpoint_sequential');
  expect(text).toContain('        return checkpoint_sequential(self, 2, x, use_reentrant=False)');
  expect(text).toContain('model = Model(');
  expect(text).not.toContain('BatchNorm moves');
});

test('several ranks: each on its device from the start, one prints, and the group is destroyed', () => {
  const lines = textOf({ mode: 'ddp' }).split('\n');
  const places = [
    "gpus = torch.cuda.device_count() >= int(os.environ['LOCAL_WORLD_SIZE'])  # one for each rank; else the CPU",
    "torch.distributed.init_process_group('nccl' if gpus else 'gloo')",
    'rank = torch.distributed.get_rank()',
    "device = torch.device('cuda', int(os.environ['LOCAL_RANK'])) if gpus else torch.device('cpu')",
    'if gpus:',
    '    torch.cuda.set_device(device)',
    'torch.manual_seed(0)',
  ];
  const first = lines.indexOf(places[0] ?? '');
  expect(lines.slice(first, first + places.length)).toEqual(places);
  expect(lines.join('\n')).not.toMatch(/set_device\(rank|cuda:\{rank|device_ids=\[rank/);
  expect(lines.join('\n')).toContain(
    '        if rank == 0:  # the loss over the rows of rank 0\n            print(loss.item())',
  );
  expect(lines.at(-2)).toBe('del model  # DistributedDataParallel holds the process group');
  expect(lines.at(-1)).toBe('torch.distributed.destroy_process_group()');
  expect(textOf({ mode: 'single' })).not.toContain('rank');
});

test('imports come before everything else, sorted', () => {
  const text = textOf({
    mode: 'ddp',
    worldSize: 4,
    nodes: 2,
    accumulate: 2,
    paramGroups: [{ match: '*.bias', weightDecay: 0 }],
    data: { type: 'digits', samples: 40 },
  });
  expect(text.split('\n').filter((line) => /^(import|from) /.test(line))).toEqual([
    'import math',
    'import os',
    'from contextlib import nullcontext',
    'from fnmatch import fnmatchcase',
    'from safetensors.torch import load_file',
    'import torch',
    'from torch import nn',
    'from torch.nn.parallel import DistributedDataParallel',
    'from torch.utils.data import DataLoader, DistributedSampler, TensorDataset',
  ]);
});

test('synchronous and asynchronous parameter servers have different listings', () => {
  const server = (synchronous: boolean) => textOf({ mode: 'parameterServer', parameterServer: { synchronous } });
  expect(server(true)).toContain('as SyncReplicasOptimizer of TensorFlow 1 did');
  expect(server(true)).not.toContain('ParameterServerStrategy');
  expect(server(false)).toContain('as with tf.distribute.ParameterServerStrategy');
});

test('weights from a file are loaded into the model that was drawn', () => {
  const text = textOf({ weights: 'start.safetensors', data: { type: 'digits', samples: 20 } });
  expect(text.match(/from safetensors.torch import load_file/g)).toHaveLength(1);
  expect(text.indexOf("model.load_state_dict(load_file('start.safetensors'))")).toBeGreaterThan(
    text.indexOf('model = '),
  );
});

test('DataParallel: every device', () => {
  expect(textOf({ mode: 'dataParallel', worldSize: 3 })).toContain('nn.DataParallel(model, device_ids=[0, 1, 2])');
});

test('model parallel: each layer on its device, activations moved in forward, targets on the last', () => {
  const text = textOf({ mode: 'modelParallel', worldSize: 3, modelParallel: { split: [2, 2, 1] } });
  expect(text).toContain('gpus = torch.cuda.device_count() >= 3  # else everything is on the CPU');
  expect(text).toContain("devices = [f'cuda:{i}' if gpus else 'cpu' for i in [0, 0, 1, 1, 2]]");
  expect(text).toContain('for layer, device in zip(model, devices):\n    layer.to(device)');
  expect(text).toContain('            x = x.to(device)\n            x = layer(x)');
  expect(text).toContain('x, y = x.to(devices[0], non_blocking=True), y.to(devices[4], non_blocking=True)');
});

test('optimisers: what differs from PyTorch’s defaults, and nothing else', () => {
  const of = (optimizer: ConfigInput['optimizer']) => /optim\.(.*)$/m.exec(textOf({ optimizer }))?.[1];
  expect(of({ type: 'Adam' })).toBe('Adam(model.parameters(), lr=0.001)');
  expect(of({ type: 'AdamW' })).toBe('AdamW(model.parameters(), lr=0.001)');
  expect(of({ type: 'AdamW', weightDecay: 0, beta1: 0.8, eps: 1e-6 })).toBe(
    'AdamW(model.parameters(), lr=0.001, betas=(0.8, 0.999), eps=0.000001, weight_decay=0)',
  );
  expect(of({ type: 'SGD', lr: 1, dampening: 0.5, momentum: 0.5 })).toBe(
    'SGD(model.parameters(), lr=1, momentum=0.5, dampening=0.5)',
  );
});

test('a deep net is broken into lines of readable width', () => {
  const layers = Array.from({ length: 12 }, () => [
    { type: 'Linear' as const, in: 64, out: 64 },
    { type: 'Sigmoid' as const },
  ]).flat();
  for (const mode of MODES) {
    const { code } = listing({ mode, model: { layers } });
    const model = code.filter((l) => l.text.includes('nn.Linear'));
    expect(model.length).toBeGreaterThan(3);
    for (const { text } of model) expect(text.length).toBeLessThanOrEqual(76);
    expect(
      code
        .map((l) => l.text)
        .join(' ')
        .match(/nn\.Linear\(64, 64\)/g),
    ).toHaveLength(12);
    checkPython(code.map((l) => l.text));
  }
});

/** Brackets and quotes close, a colon opens a deeper block, and a block closes to a margin that is open. */
function checkPython(texts: readonly string[]): void {
  const margins = [0];
  const open: string[] = [];
  let opened = false;
  for (const text of texts) {
    const code = text.replace(/'[^']*'/g, "''").replace(/\s*#.*$/, '');
    if (code.trim() === '') continue;
    expect((code.match(/'/g) ?? []).length % 2, text).toBe(0);
    if (open.length === 0) {
      const margin = code.length - code.trimStart().length;
      const current = must(margins.at(-1), 'margin');
      if (opened) {
        expect(margin, text).toBeGreaterThan(current);
        margins.push(margin);
      } else {
        expect(margins, text).toContain(margin);
        while (margins.at(-1) !== margin) margins.pop();
      }
    }
    for (const char of code) {
      if ('([{'.includes(char)) open.push(char);
      if (')]}'.includes(char)) expect('([{'.indexOf(must(open.pop(), text)), text).toBe(')]}'.indexOf(char));
    }
    opened = open.length === 0 && code.endsWith(':');
  }
  expect(open).toEqual([]);
  expect(opened).toBe(false);
}
