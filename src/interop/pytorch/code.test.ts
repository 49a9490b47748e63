/**
 * The listing against the configuration it stands for, the anchors of the Programs that point at it, and the grammar of
 * Python.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { PARALLEL_MODES } from '../../parallel/modes';
import { type Config, MODES } from '../../protocol/config';
import { fullStep, type MicroBatchKind, type TrainingKind } from '../../protocol/step-kind';
import { inputOf, listing, textOf } from './testing/listing-of';

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
