/**
 * Nodes as a setting: which are refused, which get a notice, and what they change: the modelled clock, and the hops of
 * hierarchical rings.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { machineOf } from '../../simulator/machine';
import { modelledStep } from '../../simulator/simulate';
import { createBlueprint } from '../blueprint';

const four = (more: ConfigInput = {}): ConfigInput => ({ mode: 'ddp', worldSize: 4, batchSize: 8, ...more });

const noticesOf = (input: ConfigInput) =>
  createBlueprint(parseConfig(input), {}).notices.flatMap(({ id }) => (id.startsWith('nodes') ? [id] : []));

test('more nodes than devices are refused', () => {
  expect(() => parseConfig(four({ nodes: 5 }))).toThrow(/nodes is 5 and worldSize is 4: 1 node would have no device/);
  expect(() => parseConfig({ mode: 'single', nodes: 5 })).not.toThrow();
});

test('uneven nodes get a notice, and so do algorithms that ignore nodes', () => {
  expect(noticesOf(four())).toEqual([]);
  expect(noticesOf(four({ nodes: 2, ddp: { algorithm: 'hierarchical' } }))).toEqual([]);
  expect(noticesOf(four({ nodes: 3, ddp: { algorithm: 'hierarchical' } }))).toEqual(['nodes-uneven']);
  expect(noticesOf(four({ nodes: 2 }))).toEqual(['nodes-flat']);
  expect(noticesOf(four({ nodes: 2, hardware: 'ethernet10g' }))).toEqual(['nodes-alike']);
});

function stepUs(input: ConfigInput): number {
  const config = parseConfig({ ...input, device: 'cpu' });
  return modelledStep(at(createBlueprint(config, {}).programs, 0), machineOf(config)).stepUs;
}

test('links between nodes cost the modelled step, the hierarchical all-reduce least', () => {
  // Wide enough that bytes count.
  const layers = [
    { type: 'Linear', in: 2, out: 300 },
    { type: 'Linear', in: 300, out: 1 },
  ] as const;
  const model = { layers: [...layers] };
  const flat = stepUs(four({ model, worldSize: 8 }));
  const ring = stepUs(four({ model, worldSize: 8, nodes: 2 }));
  const hierarchical = stepUs(four({ model, worldSize: 8, nodes: 2, ddp: { algorithm: 'hierarchical' } }));
  expect(flat).toBeLessThan(ring);
  expect(hierarchical).toBeLessThan(ring);
});
