/** Compares shapes with published counts, and times with the simulator's. */
import { describe, expect, test } from 'vitest';
import { must } from '../base/invariant';
import { algorithmFor } from '../collectives/algorithms';
import { programOf } from '../collectives/testing/collective-run';
import { ranksByNode } from '../mesh/nodes';
import type { Link } from '../protocol/collective';
import { modelledStep } from '../simulator/simulate';
import { allGatherUs, allReduceUs, broadcastUs, throughRootUs } from './collective-time';
import { MACHINES } from './machines';
import { keptOfPart, type Model, macsOfPart, parametersOf, sum } from './model';
import { MODELS } from './models';
import { RESNET_50 } from './resnet';
import { backwardUs, bucketsOf, forwardUs, memoryInAll, memoryOf, stepOf } from './step';
import { GPT_2, LLAMA_7B, LLAMA_70B } from './transformer';

const machine = (id: string) =>
  must(
    MACHINES.find((one) => one.id === id),
    id,
  );
const A100 = machine('a100');

test.each([
  [RESNET_50, 25_557_032],
  [GPT_2, 124_439_808],
  [LLAMA_7B, 6_738_415_616],
  [LLAMA_70B, 68_976_648_192],
])('$label has as many parameters as its checkpoint', (model, count) => {
  expect(parametersOf(model)).toBe(count);
});

describe('ResNet-50', () => {
  test('4.09 billion multiply-adds for a picture, as torchvision says', () => {
    expect(sum(RESNET_50.parts, macsOfPart) / 1e9).toBeCloseTo(4.09, 2);
  });

  test('53 batch norms with 26,560 channels in all', () => {
    expect(RESNET_50.batchNorms).toHaveLength(53);
    expect(sum(RESNET_50.batchNorms, (count) => count)).toBe(26_560);
  });
});

describe('decoders', () => {
  test('a block of GPT-2 keeps 34 bytes per hidden unit and token', () => {
    const block = must(GPT_2.parts[1], 'a block');
    expect(keptOfPart(block) / (1024 * 768)).toBe(34);
  });

  test.each([GPT_2, LLAMA_7B, LLAMA_70B])('$label computes 2 FLOPs per weight and token, and attention', (model) => {
    const perToken = (2 * sum(model.parts, macsOfPart)) / model.tokens;
    const weights = parametersOf(model);
    expect(perToken / (2 * weights)).toBeGreaterThan(0.97);
    expect(perToken / (2 * weights)).toBeLessThan(1.2);
  });
});

test('mixed precision with AdamW takes 16 bytes per parameter, and 2 for the copies of autocast', () => {
  const memory = memoryOf(LLAMA_7B, 0);
  expect(memoryInAll(memory)).toBe(18 * parametersOf(LLAMA_7B));
});

test.each([
  ['a100', 8, 1],
  ['h100', 8, 1],
  ['pcie', 4, 1],
  ['ethernet', 4, 4],
  ['a100', 16, 2],
])('%s, %i ranks: an all-reduce takes what the simulator says', (id, ranks, nodes) => {
  const rented = machine(id);
  const layout = nodes > 1 ? ranksByNode(ranks, nodes) : undefined;
  for (const length of [16 * ranks * ranks, 4096 * ranks * ranks]) {
    const inputs = Array.from({ length: ranks }, () => new Float32Array(length));
    const group = [...inputs.keys()];
    const program = programOf({
      ...{ algorithm: 'hierarchical', op: 'allReduce', reduceOp: 'sum', mesh: ranks, group, root: 0, inputs },
      ...(layout ? { nodes: layout } : {}),
    });
    const nodeOf = layout ? { nodeOf: group.map((rank) => layout.findIndex((node) => node.includes(rank))) } : {};
    const { stepUs } = modelledStep(program, { ...rented.hardware, ...nodeOf });
    // The simulator adds values as bytes arrive, which costs no extra time on such links.
    expect(allReduceUs(4 * length, ranks, rented) / stepUs).toBeCloseTo(1, 2);
  }
});

test.each(MACHINES)(
  '$label: broadcast, all-gather and the way through rank 0 are the algorithms’ closed forms',
  (rented) => {
    const [onRing, onRoot] = [algorithmFor('ring', 'broadcast'), algorithmFor('naive', 'allReduce')];
    for (const worldSize of [2, 4, 8, 64])
      for (const bytes of [4096, 5e8]) {
        const least = (us: (link: Link) => number) => {
          const { protocols } = rented.hardware;
          const linkOf = (of: (typeof protocols)[number]) => (worldSize > rented.gpusPerNode ? of.across : of.inside);
          return Math.min(...protocols.map((of) => of.startUs + us(linkOf(of))));
        };
        const sent = (op: 'broadcast' | 'allGather', each: number) =>
          least((link) => onRing.timeUs({ op, bytes: each, worldSize }, link));
        expect(broadcastUs(bytes, worldSize, rented)).toBeCloseTo(sent('broadcast', bytes), 6);
        expect(allGatherUs(bytes, worldSize, rented)).toBeCloseTo(sent('allGather', bytes / worldSize), 6);
        expect(throughRootUs(bytes, worldSize, rented)).toBeCloseTo(
          least((link) => onRoot.timeUs({ op: 'allReduce', bytes, worldSize }, link)),
          6,
        );
      }
  },
);

const asked = (model: Model, ranks: number, rows: number) => ({ model, machine: A100, ranks, rows });

describe('a step', () => {
  test('backward takes about twice as long as forward', () => {
    for (const model of MODELS) {
      const ratio = backwardUs(asked(model, 1, 4)) / forwardUs(asked(model, 1, 4));
      expect(ratio).toBeGreaterThan(1.9);
      expect(ratio).toBeLessThan(2.05);
    }
  });

  test('buckets hold every gradient once, none begins before it is ready, and the last one ends after backward', () => {
    for (const model of MODELS) {
      const buckets = bucketsOf(asked(model, 8, 4));
      expect(sum(buckets, ({ bytes }) => bytes)).toBe(4 * parametersOf(model));
      for (const { readyUs, startUs } of buckets) expect(startUs).toBeGreaterThanOrEqual(readyUs);
      expect(must(buckets.at(-1), 'a bucket').endUs).toBeGreaterThan(backwardUs(asked(model, 8, 4)));
    }
  });

  test('one rank communicates nothing; more ranks never take a shorter step with the same rows', () => {
    for (const model of MODELS) {
      const times = [1, 2, 4, 8, 16, 64].map((ranks) => stepOf(asked(model, ranks, 4)).stepUs);
      expect(stepOf(asked(model, 1, 4)).exposedUs).toBe(0);
      expect([...times].sort((a, b) => a - b)).toEqual(times);
    }
  });

  test('a published rate: ResNet-50 on one A100 in mixed precision, within a factor of two of 2,500 pictures a second', () => {
    const { stepUs } = stepOf(asked(RESNET_50, 1, 256));
    const rate = (1e6 * 256) / stepUs;
    expect(rate).toBeGreaterThan(1250);
    expect(rate).toBeLessThan(5000);
  });
});
