/**
 * Reads the data of the drawing `memory-and-time` from runs: the memory of the fullest device and the modelled time of
 * a step.
 */
import { must } from '../../base/invariant';
import type { ModeRun } from '../drawing/kinds/memory-and-time';
import type { Recorded } from './record-run';

/** The runs are named by mode, devices and batch: `mp 4 32`. */
export const modesCompared = (runs: ReadonlyMap<string, Recorded>): readonly ModeRun[] =>
  [...runs].map(([name, { facts }]) => {
    const { config, memory, worldSize } = must(facts.info, 'a run');
    return {
      mode: name.split(' ')[0] ?? '',
      devices: worldSize,
      batch: config.batchSize,
      peakBytes: Math.max(...memory.map(({ peakBytes }) => peakBytes)),
      stepUs: Math.round(must(facts.metrics, 'metrics').stepUs),
    };
  });
