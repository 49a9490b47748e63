/** Tensor parallelism computes while an input gradient is summed: what runs between the messages and the wait. */
import { expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { mlpLayers } from '../../protocol/presets';
import { testRun } from '../../runtime/webgpu/testing/programs';

/** Per all-reduce of an input gradient: what the compute queue has to do before it waits for it. */
function meanwhile(layers: readonly unknown[]) {
  const { programs } = testRun({ mode: 'tensor', worldSize: 2, batchSize: 8 }, layers);
  const { instructions } = at(at(programs, 0).lanes, 0);
  const waits = instructions.filter((i) => i.kind === 'wait' && i.queue === 'compute' && i.phase === 'backward');
  return waits.map((wait) => {
    const { event, id } = must(wait.kind === 'wait' ? wait : undefined, 'a wait');
    const last = instructions.findIndex(({ signals }) => signals === event);
    const own = instructions.slice(last + 1).filter((i) => i.kind === 'compute' && i.id < id);
    return own.map((i) => (i.kind === 'compute' ? i.op : ''));
  });
}

it('computes the gradient of the weight of each column-parallel layer', () => {
  expect(meanwhile(mlpLayers([8, 16, 16, 16, 16, 16, 4], 'ReLU'))).toEqual([
    ['ops/linear-grad-params'],
    ['ops/linear-grad-params'],
  ]);
});
