/**
 * The plan that the script prints, held against the plans with which torch recorded the runs of the fixtures: layouts
 * that the settings leave out are those that were given to torch.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import fixture from '../../training/fixtures/tensor.json';
import { TENSOR_CASES } from '../../training/testing/tensor-cases';
import { shardedListing } from '../sharded/listing';
import { tensorListing } from './listing';

const printed = (config: Parameters<typeof tensorListing>[0]): readonly string[] =>
  tensorListing(config).map(({ text }) => text);

/** { '0': 'ColwiseParallel()' } of the printed plan. */
function planOf(script: readonly string[]): Readonly<Record<string, string>> {
  const start = script.indexOf('plan = {');
  const rows = script.slice(start + 1, script.indexOf('}', start));
  return Object.fromEntries(rows.map((row) => (/^ {4}'(.*)': (.*),$/.exec(row) ?? []).slice(1, 3)));
}

const recorded = Object.values(fixture.runs).flatMap(({ tensor_parallel }) =>
  tensor_parallel.map(({ plan }) => plan as Readonly<Record<string, string>>),
);

test.each(TENSOR_CASES.map((each, i) => [each, recorded[i] ?? {}] as const))(
  '$name: the plan that torch was given',
  ({ config }, plan) => {
    expect(planOf(printed(parseConfig(config)))).toEqual(plan);
  },
);

test('clips by the norm of whole gradients, right before the step', () => {
  const script = printed(parseConfig({ mode: 'tensor', worldSize: 2, clipGradNorm: 0.5, clipGradNormType: 'inf' }));
  const step = script.findIndex((text) => text.trim() === 'optimizer.step()');
  expect(script.slice(step - 8, step).map((text) => text.trim())).toEqual([
    'for p in model.parameters():',
    'if isinstance(p.grad, DTensor):',
    'p.grad = p.grad.redistribute(placements=p.placements)  # sums addends',
    'grads = [p.grad for p in model.parameters() if p.grad is not None]',
    'whole = [g.full_tensor() if isinstance(g, DTensor) else g for g in grads]',
    "norm = nn.utils.get_total_norm(whole, norm_type=float('inf'))",
    'for grad in grads:',
    'grad.mul_(min(1, 0.5 / (norm.item() + 1e-6)))',
  ]);
});

test('in DistributedDataParallel: clips the local parts, whose names the script keeps before the wrapper', () => {
  const config = parseConfig({
    ...{ mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 }, batchSize: 8 },
    ...{ clipGradNorm: 1, clipGradValue: 0.5 },
  });
  const text = printed(config).join('\n');
  const lines = [
    'cut = {name for name, p in model.named_parameters() if isinstance(p, DTensor) and p.placements[0].is_shard()}',
    'model = DistributedDataParallel(',
    'parameters = dict(model.module.named_parameters())',
    'loss.backward()',
    "torch.distributed.all_reduce(norm, group=mesh.get_group('tp'))  # over the parts of each layer",
    'nn.utils.clip_grads_with_norm_(parameters.values(), 1, norm, foreach=False)',
    'nn.utils.clip_grad_value_(parameters.values(), 0.5, foreach=False)',
    'optimizer.step()',
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('a block computes attention over the heads of its rank, also where its input is cut along the sequence', () => {
  const gpt = TENSOR_CASES.find(({ name }) => name.includes('SequenceParallel'));
  const script = printed(parseConfig(gpt?.config)).map((text) => text.trim());
  const attention = script.slice(script.indexOf('def attention(self, x):'), script.indexOf('def forward(self, x):'));
  expect(attention).toContain('n, t, width = qkv.shape');
  expect(attention).toContain('for part in qkv.chunk(3, dim=-1)');
  expect(attention.join(' ')).not.toMatch(/x\.shape|self\.qkv\(x\)\.chunk|width \/|, width\)/);
  expect(script).toContain('block.heads //= tp');
});

const TIED: LayerInput[] = [
  { type: 'Embedding', name: 'tok', vocab: 6, width: 8 },
  { type: 'Linear', name: 'head', in: 8, out: 6, bias: false, tied: 'tok.weight' },
];

test('tied weights are tied again after parallelize_module, which gives each module its own parameter', () => {
  const config: ConfigInput = {
    mode: 'tensor',
    worldSize: 2,
    model: { layers: TIED },
    data: { type: 'text', text: 'abcdefabcdef', context: 1 },
    loss: { type: 'CrossEntropyLoss' },
    tensor: { plan: { tok: 'RowwiseParallel', head: 'ColwiseParallel' } },
  };
  const script = printed(parseConfig(config));
  const tie = 'model.head.weight = model.tok.weight';
  expect(script.lastIndexOf(tie)).toBe(script.findIndex((text) => text.includes('parallelize_module(model')) + 1);
  // DistributedDataParallel refuses tied DTensors: "aten.cat.default got mixed torch.Tensor and DTensor".
  const replicas = printed(parseConfig({ ...config, worldSize: 4, mesh: { tp: 2, dpReplicate: 2 } }));
  expect(replicas.filter((text) => text === tie)).toHaveLength(1);
  const lent = replicas.findIndex((text) => text.startsWith('for module, owner in'));
  expect(replicas.slice(lent, lent + 4)).toEqual([
    'for module, owner in [(model.head, model.tok)]:',
    '    del module.weight',
    "    module.register_forward_pre_hook(lambda module, _, owner=owner: setattr(module, 'weight', owner.weight))",
    "model = DistributedDataParallel(model, device_mesh=mesh['dp'])",
  ]);
});

test('a GradScaler that takes DTensors beside plain tensors, whose ranks skip a step together', () => {
  const config: ConfigInput = {
    mode: 'tensor',
    worldSize: 2,
    precision: 'autocast-fp16',
    gradScaler: { enabled: true },
  };
  const script = printed(parseConfig(config));
  expect(script).toContain('scaler = PartsScaler(device.type)');
  expect(script.findIndex((text) => text.startsWith('class PartsScaler('))).toBeGreaterThan(
    script.indexOf('from torch.distributed.tensor import DTensor'),
  );
});

test.each<[string, ConfigInput, string]>([
  ['all ranks of fully_shard', { mode: 'sharded', mesh: { dpShard: 2, dpReplicate: 2 } }, '(model)'],
  [
    'replicas of a tensor group',
    { mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 } },
    "(model, process_group=mesh['dp'].get_group())",
  ],
  [
    'shards beside a tensor group',
    { mode: 'sharded', mesh: { tp: 2, dpShard: 2 } },
    "(model, process_group=mesh['dp_shard'].get_group())",
  ],
])('SyncBatchNorm over %s', (_, config, argument) => {
  const layers: LayerInput[] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ];
  const parsed = parseConfig({ ...config, model: { layers }, ddp: { syncBatchNorm: true } });
  const script = (parsed.mode === 'sharded' ? shardedListing(parsed) : tensorListing(parsed)).map(({ text }) => text);
  expect(script).toContain(`model = nn.SyncBatchNorm.convert_sync_batchnorm${argument}`);
});

test('with CPU offload the process group has gloo for the host beside nccl', () => {
  const config: ConfigInput = { mode: 'sharded', worldSize: 2, sharded: { cpuOffload: true } };
  const script = shardedListing(parseConfig(config)).map(({ text }) => text);
  expect(script).toContain("torch.distributed.init_process_group('cpu:gloo,cuda:nccl' if gpus else 'gloo')");
});

test('modules that forward() does not call stand between no two layers', () => {
  const layers: LayerInput[] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
    { type: 'Linear', in: 4, out: 1 },
  ];
  const plan = { '1.0': 'ColwiseParallel', '2': 'RowwiseParallel' } as const;
  const config = parseConfig({ mode: 'tensor', worldSize: 2, model: { layers }, tensor: { plan } });
  expect(planOf(printed(config))).toEqual({
    '1.0': 'ColwiseParallel()',
    '2': 'RowwiseParallel(input_layouts=Replicate())',
  });
});

test('loss_parallel() only if the last layer hands its columns to cross_entropy', () => {
  const layers: LayerInput[] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'Linear', in: 4, out: 2 },
  ];
  const scriptOf = (head: 'ColwiseParallel' | 'RowwiseParallel') =>
    printed(
      parseConfig({
        ...{ mode: 'tensor', worldSize: 2, model: { layers }, loss: { type: 'CrossEntropyLoss' } },
        ...{ data: { type: 'prototypes', samples: 64, classes: 2, features: 2 } },
        tensor: { plan: { '1': head }, lossParallel: true },
      }),
    ).join('\n');
  expect(scriptOf('ColwiseParallel')).toContain('full_tensor()');
  expect(scriptOf('RowwiseParallel')).not.toMatch(/full_tensor|loss_parallel/);
  const ofSquares = parseConfig({
    ...{ mode: 'tensor', worldSize: 2, model: { layers }, loss: { type: 'MSELoss' } },
    ...{ data: { type: 'randomRegression', samples: 64, in: 2, out: 2 } },
    tensor: { plan: { '1': 'ColwiseParallel' }, lossParallel: true },
  });
  expect(printed(ofSquares).join('\n')).not.toMatch(/full_tensor|loss_parallel/);
});
