/** A machine of round numbers, and a Program written by hand, for tests that a reader can follow with a pencil. */

import type { OpDef, OpTable } from '../../graph/op';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { Hardware } from '../hardware';

const LINK = { latencyUs: 4, bytesPerSecond: 0.5e6 };

/** 1 flop and 1 byte take 1 us, a launch 10; a message 4 us and 2 us per byte; a collective starts for nothing. */
export const EXAMPLE: Hardware = {
  id: 'pcie4',
  label: 'example',
  flopsPerSecond: 1e6,
  halfFlopsPerSecond: 1e6,
  memoryBytesPerSecond: 1e6,
  launchUs: 10,
  linkLatencyUs: 4,
  linkBytesPerSecond: 0.5e6,
  across: LINK,
  protocols: [{ name: 'Simple', startUs: 0, inside: LINK, across: LINK }],
  hostBytesPerSecond: 1e6,
  hostSharesLink: false,
};

/** 'work' takes attrs.flops. */
const work: OpDef = {
  name: 'work',
  infer: (inputs) => inputs,
  cpu: () => {},
  lower: () => [],
  flops: ({ attrs }) => Number(attrs['flops']),
};

const OPS: OpTable = new Map([[work.name, work]]);

/** A mesh of `devices` lanes, each with a buffer 'a' of `length` elements. */
export function exampleBuilder(devices: number, length = 1): ProgramBuilder {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: devices }), OPS);
  for (const lane of builder.lanes) {
    lane.buffer({ name: 'a', shape: [length], dtype: 'f32', category: 'activation', persistent: false });
  }
  return builder;
}

export const FORWARD: Where = { phase: 'forward', anchor: 'forward' };
export const COMM: Where = { ...FORWARD, queue: 'comm' };

/** Sends the first elements of 'a' to another device's 'a'. */
export function hop(
  builder: ProgramBuilder,
  from: number,
  to: number,
  length: number,
  { apply = 'put', sender = COMM }: { readonly apply?: 'put' | 'add'; readonly sender?: Where } = {},
): void {
  const slice = { buffer: 'a', offset: 0, length };
  builder.transfer(
    { device: from, slice, where: sender },
    { device: to, slice, where: COMM },
    { name: 'a', payload: 'gradient', apply },
  );
}
