/**
 * The PyTorch script of a pipeline: what it says of schedules, stages, replicas and clipping. That it runs, and prints
 * the losses of the run, is held in training/parity/script-losses.test.ts.
 */
import { beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { PROGRAM_OPS } from '../modes';
import { pipeline } from './mode';

beforeAll(async () => {});

const layers = Array.from({ length: 8 }, (_, i) => ({
  type: 'Linear' as const,
  in: i === 0 ? 2 : 8,
  out: i === 7 ? 1 : 8,
}));

function listing(input: ConfigInput) {
  const open = parseConfig({ mode: 'pipeline', mesh: { pp: 2 }, model: { layers }, dropLast: true, ...input });
  const config = pipeline.facets(open).compiler.settle?.({
    config: open,
    ops: PROGRAM_OPS,
    inputShape: [2],
    inputType: 'f32',
    targetShape: [1],
    targetType: 'f32',
  });
  return pipeline.listing.get()(config ?? open);
}

const textOf = (input: ConfigInput): string =>
  listing(input)
    .map(({ text }) => text)
    .join('\n');

test.each([
  ['GPipe', 'ScheduleGPipe(stages[0], n_microbatches=4, loss_fn=loss_fn)', '[rank]'],
  ['1F1B', 'Schedule1F1B(stages[0], n_microbatches=4, loss_fn=loss_fn)', '[rank]'],
  ['LoopedBFS', 'ScheduleLoopedBFS(stages, n_microbatches=4, loss_fn=loss_fn)', 'list(range(rank, 4, 2))'],
  ['Interleaved1F1B', 'ScheduleInterleaved1F1B(', 'list(range(rank, 4, 2))'],
  ['InterleavedZeroBubble', 'ScheduleInterleavedZeroBubble(', 'list(range(rank, 4, 2))'],
  ['ZBVZeroBubble', 'ScheduleZBVZeroBubble(', '[rank, 3 - rank]'],
  ['DualPipeV', 'ScheduleDualPipeV(', '[rank, 3 - rank]'],
] as const)('%s: the class of torch, and the stages of a rank', (schedule, made, mine) => {
  const text = textOf({ pipeline: { schedule, microBatches: 4 } });
  expect(text).toContain(`schedule = ${made}`);
  expect(text).toContain(`import PipelineStage, ${made.slice(0, made.indexOf('('))}\n`);
  expect(text).toContain(`mine = ${mine}  # this rank's stages, of ${mine === '[rank]' ? 2 : 4}`);
});

test('an own schedule is read from CSV, and each stage is on the rank of its row', () => {
  const actions = '0F0,0F1,3F0,3B0,3F1,3B1,0B0,0B1\n1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1';
  const text = textOf({ pipeline: { schedule: 'own', microBatches: 2, stagesPerRank: 2, actions } });
  expect(text).toContain(`f.write('''\\\n${actions}\n''')\nschedule._load_csv(f'schedule{rank}.csv')`);
  expect(text).toContain('mine = [rank, 3 - rank]');
});

test('replicas: DDP as it is usual, without rebuilt buckets, or none, as torch gets the schedule right', () => {
  const dp = (schedule: '1F1B' | 'GPipe' | 'ZBVZeroBubble', microBatches: number) =>
    textOf({ mesh: { pp: 2, dp: 2 }, pipeline: { schedule, microBatches }, ddp: { bucketCapMb: 0.5 } });
  const usual = dp('1F1B', 4);
  expect(usual).toContain("DistributedDataParallel(module, process_group=mesh.get_group('dp'), bucket_cap_mb=0.5)");
  expect(usual).toContain("init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'dp'))");
  expect(usual).toContain('DistributedSampler(dataset, num_replicas=2, rank=dp_rank, drop_last=True)');
  expect(usual).toContain('mine = [pp_rank]');
  expect(usual).toContain('batch_size=16,');
  for (const text of [dp('1F1B', 2), dp('GPipe', 4)]) expect(text).toContain('find_unused_parameters=True)');
  const halves = dp('ZBVZeroBubble', 4);
  expect(halves).not.toContain('DistributedDataParallel(');
  expect(halves).toContain("all_reduce(grad, group=mesh.get_group('dp'))\n            grad /= 2");
});

test.each([
  [{ clipGradNorm: 0.5 }, ['get_total_norm(grads).to(device) ** 2', 'all_reduce(norm)', ', 0.5, norm ** (1 / 2))']],
  [
    { clipGradNorm: 0.5, clipGradNormType: 'inf' },
    [
      "get_total_norm(grads, norm_type=float('inf')).to(device)",
      'all_reduce(norm, torch.distributed.ReduceOp.MAX)',
      ', 0.5, norm)',
    ],
  ],
  [{ clipGradValue: 0.1 }, ['clip_grad_value_(parameters.values(), 0.1)']],
] as const)('gradients are clipped by the norm over all stages: %j', (config, pieces) => {
  const text = textOf(config);
  const places = [...pieces, 'optimizer.step()'].map((piece) => text.indexOf(piece));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('micro-batches of unequal size are filled up with rows that the loss leaves out', () => {
  const of = (input: ConfigInput) => textOf({ data: { type: 'xor', samples: 100 }, dropLast: false, ...input });
  // 100 rows: three batches of 32, and one of 4 in a run that comes so far.
  expect(of({ steps: 3 })).not.toContain('filled_up');
  for (const [input, rows] of [
    [{ steps: 4, pipeline: { microBatches: 4 } }, 8],
    [{ steps: 3, pipeline: { microBatches: 5 } }, 7],
    [{ epochs: 1, pipeline: { microBatches: 2 } }, 16],
    [{ mesh: { pp: 2, dp: 2 }, batchSize: 30, steps: 4, pipeline: { microBatches: 5 } }, 3],
  ] as const) {
    const text = of(input);
    expect(text).toContain(`part.new_full((${rows} - len(part), `);
    expect(text).toContain('x, y = filled_up(x, 0), filled_up(y, torch.nan)');
    expect(text).toContain('loss_fn=stage_loss');
  }
  expect(of({ steps: 4, dropLast: true })).not.toContain('filled_up');
});

const NORMED: NonNullable<ConfigInput['model']>['layers'] = [
  { type: 'Linear', in: 2, out: 8 },
  { type: 'BatchNorm1d', features: 8 },
  { type: 'Linear', in: 8, out: 1 },
];

test('where only the script counts the rows, micro-batches without rows have no loss and no weight', () => {
  const data = { type: 'npy', inputs: 'x.npy', targets: 'y.npy' } as const;
  const of = (input: ConfigInput) => textOf({ data, dropLast: false, ...input });
  for (const [input, count, rows] of [
    [{ pipeline: { schedule: 'GPipe', microBatches: 4 } }, 'min(4, len(batch))', 8],
    [{ pipeline: { schedule: '1F1B', microBatches: 5 } }, 'min(5, len(batch))', 7],
    // Interleaved1F1B has no order for 5 or 7 micro-batches.
    [
      { pipeline: { schedule: 'Interleaved1F1B', microBatches: 8 } },
      '[1, 1, 2, 3, 4, 4, 6, 6, 8][min(8, len(batch))]',
      4,
    ],
    // Batch norm needs two rows: 5 rows are 3 and 2, more than a micro-batch of the full batch has.
    [
      { model: { layers: NORMED }, batchSize: 8, pipeline: { schedule: 'GPipe', microBatches: 4 } },
      '[1, 1, 1, 1, 2, 2, 3, 3, 4][min(8, len(batch))]',
      3,
    ],
  ] as const) {
    const text = of(input);
    expect(text).toContain(`def with_rows(batch):\n    return ${count}`);
    expect(text).toContain(`part.new_full((${rows} - len(part), `);
    expect(text).toContain(`weight = ${input.pipeline.microBatches} / with_rows(x)\n`);
    expect(text).toContain('    if len(y) == 0:\n        return output.sum()');
    expect(text).toContain('    return weight * loss_fn(output, y)');
  }
  expect(of({ pipeline: { microBatches: 4, scaleGrads: false } })).toContain('loss + (weight - 1) * loss.detach()');
  for (const known of [
    { dropLast: true },
    { data: { type: 'xor', samples: 99 } },
    { pipeline: { schedule: 'GPipe', microBatches: 1 } },
  ] as const)
    expect(of(known)).not.toContain('weight');
});

test('known rows: a batch that batch norm cuts into fewer micro-batches has the other schedule', () => {
  const text = textOf({
    model: { layers: NORMED },
    ...{ data: { type: 'xor', samples: 101, testFraction: 0 }, batchSize: 32, epochs: 1, dropLast: false },
    pipeline: { schedule: 'GPipe', microBatches: 4 },
  });
  // The last 5 rows are two micro-batches, though there are more rows than micro-batches.
  expect(text).toContain('count, size = (4, 8) if len(batch) >= 6 else (2, 3)');
  expect(text).toContain('own_schedule = schedule if len(x) >= 6 else last_schedule');
});

test('mesh.tp: the plan cuts the layers of the stages that the rank has, before anything takes their parameters', () => {
  const text = textOf({ mesh: { pp: 2, tp: 2 }, batchSize: 16 });
  const lines = [
    'from fnmatch import fnmatch',
    'from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module',
    "mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'tp'))",
    "pp_rank = mesh.get_local_rank('pp')",
    'mine = [pp_rank]',
    "    '0': ColwiseParallel(),",
    "            parallelize_module(layer, mesh['tp'], style)",
    'own = {p for module in modules for p in module.parameters()}',
    'foreach=False',
    "group=mesh.get_group('pp')",
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(textOf({})).not.toContain("'tp'");
});

test('mesh.tp in replicas: DistributedDataParallel has the local parts, so the script divides and clips by hand', () => {
  const text = textOf({
    ...{ mesh: { pp: 2, dpReplicate: 2, tp: 2 }, batchSize: 16, clipGradNorm: 1 },
    pipeline: { microBatches: 4 },
  });
  const lines = [
    'cut = {name for name, p in model.named_parameters() if isinstance(p, DTensor) and p.placements[0].is_shard()}',
    "DistributedDataParallel(module, device_mesh=mesh['dp']",
    'own = {p for module in modules for p in module.parameters()}',
    'scale_grads=False',
    '    grad /= 4',
    "torch.distributed.all_reduce(norm, group=mesh.get_group('tp'))  # over the parts of each layer",
    "torch.distributed.all_reduce(norm, group=mesh.get_group('pp'))  # over all stages",
    'nn.utils.clip_grads_with_norm_(parameters.values(), 1, norm, foreach=False)',
    'optimizer.step()',
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('mesh.tp: the loss of a tensor group is printed once', () => {
  expect(textOf({ mesh: { pp: 2, tp: 2 } })).toContain("if last and mesh.get_local_rank('tp') == 0:");
  expect(textOf({ mesh: { pp: 2, tp: 2, dpReplicate: 2 } })).toContain(
    "    if dp_rank == 0 and mesh.get_local_rank('tp') == 0:",
  );
});

test('mesh.tp: a pair of layers that is cut unevenly at the border of two stages stays whole', () => {
  const net = (width: number): ConfigInput => ({
    mesh: { pp: 2, tp: 2 },
    model: {
      layers: [
        { type: 'Linear', in: 2, out: width },
        { type: 'Tanh' },
        { type: 'Linear', in: width, out: 4 },
        { type: 'Linear', in: 4, out: 1 },
      ],
    },
    pipeline: { split: [2, 2] },
  });
  expect(textOf(net(6))).toContain("    '0': ColwiseParallel(),");
  const uneven = textOf(net(5));
  expect(uneven).toContain('# 0, 2: a stage cannot hand on parts of different widths');
  expect(uneven).toContain('plan = {}');
});

/** Tokens, and a head that is cut by vocabulary; with `tied` the head has the weight of the tokens. */
const TOKENS = (tied: boolean): ConfigInput => ({
  mesh: { pp: 1, tp: 2 },
  model: {
    layers: [
      { type: 'TokenEmbedding', vocab: 12, context: 8, width: 8, name: '' },
      { type: 'Linear', in: 8, out: 12, bias: false, name: 'head', ...(tied ? { tied: 'tok.weight' } : {}) },
    ],
  },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'sequence', samples: 40, length: 4 },
  pipeline: { microBatches: 2 },
  batchSize: 8,
});

test('mesh.tp: weights tied within a stage are tied again, or add up their gradients inside DDP', () => {
  const text = textOf(TOKENS(true));
  const again = text.lastIndexOf('model.head.weight = model.tok.weight');
  expect(again).toBeGreaterThan(text.indexOf("parallelize_module(layer, mesh['tp'], style)"));
  expect(text).not.toContain('total = sum(');
  const wrapped = textOf({ ...TOKENS(true), mesh: { pp: 1, tp: 2, dpReplicate: 2 } });
  expect(wrapped).not.toContain('model.head.weight = model.tok.weight');
  expect(wrapped).toContain("shared = [name for name in ['tok.weight', 'head.weight'] if name in parameters]");
  expect(wrapped).toContain('    total = sum(p.grad for p in own)');
});

test('a weight that stages share: its gradients are added over the ranks that have a copy, and count once', () => {
  const text = textOf({ ...TOKENS(true), mesh: { pp: 2, dpReplicate: 2 }, clipGradNorm: 1 });
  expect(text).toContain('new_subgroups_by_enumeration([[0, 2], [1, 3]])');
  const places = [
    'DistributedDataParallel(',
    'tied += [(parameters[name], group) for name in shared]',
    'schedule.step(',
    '    torch.distributed.all_reduce(p.grad, group=group)',
    'grads = [p.grad for p in once.values() if p.grad is not None]',
    'optimizer.step()',
  ].map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('filler rows: a row is filler if all its targets are, and loss_parallel() makes way for them', () => {
  expect(textOf(TOKENS(false))).toContain('with loss_parallel():');
  const text = textOf({ ...TOKENS(false), batchSize: 7, dropLast: false });
  expect(text).toContain('rows = (y.reshape(len(y), -1) != -100).any(1)');
  expect(text).toContain('# the run computes the loss from parts of the outputs');
  expect(text).not.toContain('with loss_parallel():');
});

test('dpShard: fully_shard around the units of the rank, then its stages, and the optimiser has the shards', () => {
  const text = textOf({ mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 4 }, clipGradNorm: 1 });
  const lines = [
    'from torch.distributed.fsdp import fully_shard',
    "mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'dp'))",
    "        fully_shard(unit, mesh=mesh['dp'])",
    "    fully_shard(module, mesh=mesh['dp'])",
    'own = {p for module in modules for p in module.parameters()}',
    'optimizer =',
    '    PipelineStage(module, s, 2, device',
    'norm = nn.utils.get_total_norm(grads).full_tensor().to(device) ** 2',
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(text).not.toContain('DistributedDataParallel');
});

test('dpReplicate and dpShard: fully_shard takes both axes, and both together are dp', () => {
  const text = textOf({ mesh: { pp: 2, dpReplicate: 2, dpShard: 2 }, sharded: { stage: 2, modules: [] } });
  expect(text).toContain("(2, 2, 2), mesh_dim_names=('pp', 'dp_replicate', 'dp_shard'))");
  expect(text).toContain("mesh['dp_replicate', 'dp_shard']._flatten('dp')");
  expect(text).toContain("    fully_shard(module, mesh=mesh['dp_replicate', 'dp_shard'], reshard_after_forward=False)");
  expect(text).not.toContain('get_submodule');
});

test('stage 0 of ZeRO along dpShard is DistributedDataParallel', () => {
  const text = textOf({ mesh: { pp: 2, dpShard: 2 }, sharded: { stage: 0 }, pipeline: { microBatches: 4 } });
  expect(text).toContain('DistributedDataParallel(');
  expect(text).not.toContain('fully_shard');
});

test('a GradScaler: every rank gets the scale, all stages skip together, printed losses are unscaled', () => {
  const text = textOf({ precision: 'autocast-fp16', gradScaler: { enabled: true }, clipGradNorm: 1 });
  const places = [
    'class StagesScaler(torch.amp.GradScaler):',
    'torch.distributed.all_reduce(found_inf, torch.distributed.ReduceOp.MAX)',
    'scaler = StagesScaler(',
    'scaler.scale(torch.zeros((), device=device))',
    'loss_fn=lambda output, y: scaler.scale(loss_fn(output, y))',
    'schedule.step(',
    'losses = [loss / scaler.get_scale() for loss in losses]',
    'scaler.unscale_(optimizer)',
    'nn.utils.clip_grads_with_norm_(',
    'scaler.step(optimizer)',
    'scaler.update()',
  ].map((piece) => text.indexOf(piece));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(textOf({})).not.toContain('caler');
});
