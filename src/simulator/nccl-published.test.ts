/**
 * The modelled clock held against published times of NCCL: 8 A100 over NVLink, 8 B to 1 GiB, within a quarter. And what
 * follows from having NCCL's three protocols: small messages are bound by latency, large ones by bandwidth.
 */

import { describe, expect, test } from 'vitest';
import { must } from '../base/invariant';
import { algorithmFor } from '../collectives/algorithms';
import { COMM_OPS } from '../collectives/bucket-ops';
import { initDeviceMesh } from '../mesh/device-mesh';
import { ProgramBuilder } from '../program/builder';
import type { Program } from '../program/instruction';
import type { AlgorithmName } from '../protocol/collective';
import { PUBLISHED, SMALL } from './fixtures/nccl-tests-a100';
import { HARDWARE } from './hardware';
import { protocolsOf } from './protocols';
import { modelledStep } from './simulate';

/** An all-reduce by itself; nothing is allocated. */
function program(bytes: number, algorithm: AlgorithmName = 'ring', worldSize = 8): Program {
  const group = Array.from({ length: worldSize }, (_, rank) => rank);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: group.length }), COMM_OPS);
  const length = bytes / 4;
  for (const lane of builder.lanes)
    lane.buffer({ name: 'in', shape: [length], dtype: 'f32', category: 'communication', persistent: true });
  const where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' } as const;
  algorithmFor(algorithm, 'allReduce').emit({
    builder,
    op: 'allReduce',
    group: builder.mesh.world,
    input: 'in',
    length,
    payload: 'data',
    where,
  });
  return builder.finish('test');
}
const modelledUs = (bytes: number, algorithm: AlgorithmName = 'ring') =>
  modelledStep(program(bytes, algorithm), HARDWARE.nvlink8).stepUs;

const geometricMean = (values: readonly number[]) =>
  Math.exp(values.reduce((sum, x) => sum + Math.log(x), 0) / values.length);

const sizes = [...new Set(PUBLISHED.flatMap(({ us }) => Object.keys(us).map(Number)))].sort((a, b) => a - b);
const publishedUs = (bytes: number): number =>
  geometricMean(PUBLISHED.flatMap(({ us }) => (us[bytes] === undefined ? [] : [us[bytes]])));

describe('8 A100 over NVLink, against published nccl-tests', () => {
  test('the figures cover 8 B to 1 GiB', () => {
    expect(Math.min(...SMALL.bytes)).toBe(8);
    expect(sizes.at(-1)).toBe(2 ** 30);
    for (let bytes = 2 ** 14; bytes <= 2 ** 30; bytes *= 2) expect(sizes).toContain(bytes);
  });

  test.each([
    ...SMALL.bytes.map((bytes) => [bytes, publishedUs(SMALL.like)] as const),
    ...sizes.filter((bytes) => bytes !== SMALL.like).map((bytes) => [bytes, publishedUs(bytes)] as const),
  ])('%i B: within a quarter of %f us', (bytes, us) => {
    const ratio = modelledUs(bytes) / us;
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });

  test('bus bandwidth at 1 GiB is what is measured, 200 to 240 GB/s', () => {
    const busBandwidth = (1.75 * 2 ** 30) / modelledUs(2 ** 30) / 1e3;
    expect(busBandwidth).toBeGreaterThan(200);
    expect(busBandwidth).toBeLessThan(240);
  });
});

test('the protocol goes from LL over LL128 to Simple as the buffer grows', () => {
  const names = [8, 2 ** 20, 2 ** 28].map((bytes) => {
    const [protocol] = protocolsOf(program(bytes), HARDWARE.nvlink8).values();
    return must(protocol, 'a protocol').name;
  });
  expect(names).toEqual(['LL', 'LL128', 'Simple']);
});

test('naive beats the ring only for a few KiB, as it has fewer messages that follow each other', () => {
  expect(modelledUs(64, 'naive')).toBeLessThan(modelledUs(64));
  for (const bytes of [4096, 2 ** 16, 2 ** 20]) expect(modelledUs(bytes, 'naive')).toBeGreaterThan(modelledUs(bytes));
});
