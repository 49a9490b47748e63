/** The lines of the listing that a setting adds or changes. */
import { expect, test } from 'vitest';
import { type ConfigInput, MODES } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { listing, textOf } from './testing/listing-of';

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

/** Every rank has a row of each parameter, which the norm of type inf needs in mode sharded. */
const TWO_OUTPUTS: ConfigInput = {
  data: { type: 'randomRegression', in: 2, out: 2 },
  model: { layers: mlpLayers([2, 4, 2], 'Tanh') },
  loss: { type: 'MSELoss' },
};

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
    const lines = textOf({ ...TWO_OUTPUTS, ...config, mode, worldSize: 2 })
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
