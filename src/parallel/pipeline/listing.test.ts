/**
 * The PyTorch script of a pipeline: what it says of schedules, micro-batches, clipping and scaling. That it runs, and
 * prints the losses of the run, is held in training/parity/script-losses.test.ts.
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { listedText } from './testing/listed-text';

test.each([
  ['GPipe', 'ScheduleGPipe(stages[0], n_microbatches=4, loss_fn=loss_fn)', '[rank]'],
  ['1F1B', 'Schedule1F1B(stages[0], n_microbatches=4, loss_fn=loss_fn)', '[rank]'],
  ['LoopedBFS', 'ScheduleLoopedBFS(stages, n_microbatches=4, loss_fn=loss_fn)', 'list(range(rank, 4, 2))'],
  ['Interleaved1F1B', 'ScheduleInterleaved1F1B(', 'list(range(rank, 4, 2))'],
  ['InterleavedZeroBubble', 'ScheduleInterleavedZeroBubble(', 'list(range(rank, 4, 2))'],
  ['ZBVZeroBubble', 'ScheduleZBVZeroBubble(', '[rank, 3 - rank]'],
  ['DualPipeV', 'ScheduleDualPipeV(', '[rank, 3 - rank]'],
] as const)('%s: the class of torch, and the stages of a rank', (schedule, made, mine) => {
  const text = listedText({ pipeline: { schedule, microBatches: 4 } });
  expect(text).toContain(`schedule = ${made}`);
  expect(text).toContain(`import PipelineStage, ${made.slice(0, made.indexOf('('))}\n`);
  expect(text).toContain(`mine = ${mine}  # this rank's stages, of ${mine === '[rank]' ? 2 : 4}`);
});

test('an own schedule is read from CSV, and each stage is on the rank of its row', () => {
  const actions = '0F0,0F1,3F0,3B0,3F1,3B1,0B0,0B1\n1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1';
  const text = listedText({ pipeline: { schedule: 'own', microBatches: 2, stagesPerRank: 2, actions } });
  expect(text).toContain(`f.write('''\\\n${actions}\n''')\nschedule._load_csv(f'schedule{rank}.csv')`);
  expect(text).toContain('mine = [rank, 3 - rank]');
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
  const text = listedText(config);
  const places = [...pieces, 'optimizer.step()'].map((piece) => text.indexOf(piece));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('micro-batches of unequal size are filled up with rows that the loss leaves out', () => {
  const of = (input: ConfigInput) => listedText({ data: { type: 'xor', samples: 100 }, dropLast: false, ...input });
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
  const of = (input: ConfigInput) => listedText({ data, dropLast: false, ...input });
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
  const text = listedText({
    model: { layers: NORMED },
    ...{ data: { type: 'xor', samples: 101, testFraction: 0 }, batchSize: 32, epochs: 1, dropLast: false },
    pipeline: { schedule: 'GPipe', microBatches: 4 },
  });
  // The last 5 rows are two micro-batches, though there are more rows than micro-batches.
  expect(text).toContain('count, size = (4, 8) if len(batch) >= 6 else (2, 3)');
  expect(text).toContain('own_schedule = schedule if len(x) >= 6 else last_schedule');
});

test('a GradScaler: every rank gets the scale, all stages skip together, printed losses are unscaled', () => {
  const text = listedText({ precision: 'autocast-fp16', gradScaler: { enabled: true }, clipGradNorm: 1 });
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
  expect(listedText({})).not.toContain('caler');
});
