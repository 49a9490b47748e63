/**
 * A Program of two micro-batches on two devices, put together by hand: each micro-batch doubles its own rows, sends
 * them to the other device on the communication queue, adds what comes to a gradient that both micro-batches share, and
 * takes the first element of the sum as its loss. For tests of whatever reads or runs Programs.
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { PROGRAM_OPS } from '../../parallel/modes';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Where } from '../../program/lane-builder';
import type { Feed } from '../executor';

const LENGTH = 8;
const COMPUTE: Where = { phase: 'forward', anchor: 'forward' };
const COMM: Where = { ...COMPUTE, queue: 'comm' };

export function twoMicroBatches(count = 2): Program {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), PROGRAM_OPS);
  for (let m = 0; m < count; m++) {
    builder.startMicroBatch(m);
    for (const lane of builder.lanes) {
      const activation = { shape: [LENGTH], dtype: 'f32', category: 'activation', persistent: false } as const;
      for (const name of ['x', 'taken', 'sum']) lane.buffer({ ...activation, name });
      lane.buffer({ ...activation, name: 'w.grad', category: 'gradient', persistent: true });
      lane.buffer({ ...activation, name: 'loss', shape: [1], persistent: true }, { shared: false });
      lane.load({ buffer: 'x', source: 'inputs', start: 0, count: 1 }, COMPUTE);
      lane.compute('comm/scale', ['x'], ['x'], { from: 0, length: LENGTH, scale: 2 }, COMPUTE);
      lane.signal('compute', 'doubled');
      lane.wait('doubled', COMM);
    }
    builder.exchange(
      [0, 1].map((from) => ({
        from: { device: from, slice: builder.lane(from).whole('x'), where: COMM },
        to: { device: 1 - from, slice: builder.lane(1 - from).whole('taken'), where: COMM },
        what: { name: 'x', payload: 'activation' as const },
      })),
    );
    for (const lane of builder.lanes) {
      lane.handOver('comm', 'compute', COMPUTE);
      const whole = { from: 0, to: 0, length: LENGTH };
      if (m === 0) lane.compute('ops/copy', ['taken'], ['w.grad'], whole, COMPUTE);
      else lane.compute('optim/accumulate-grad', ['taken', 'w.grad'], ['w.grad'], { count: 1 }, COMPUTE);
      lane.compute('ops/copy', ['w.grad'], ['sum'], whole, COMPUTE);
      lane.compute('ops/copy', ['sum'], ['loss'], { from: 0, to: 0, length: 1 }, COMPUTE);
      lane.lossIn('loss');
    }
  }
  return builder.finish('test');
}

/** Device d loads 10 (d + 1) + m in micro-batch m. */
export const feedOfTwo: Feed = ({ microBatch = 0 }, device) =>
  new Float32Array(LENGTH).fill(10 * (device + 1) + microBatch);

/** The other device's rows doubled, summed over the micro-batches so far. */
export const LOSSES_OF_TWO = [
  { device: 0, microBatch: 0, value: 40 },
  { device: 0, microBatch: 1, value: 82 },
  { device: 1, microBatch: 0, value: 20 },
  { device: 1, microBatch: 1, value: 42 },
];
