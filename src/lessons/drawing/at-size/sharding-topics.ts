/** Worked example about sharded states: what a rank keeps at each stage of ZeRO, and how long the all-gathers take. */
import { allGatherUs } from '../../../sizing/collective-time';
import { type Model, parametersOf, parametersOfPart } from '../../../sizing/model';
import { backwardUs, forwardUs, type Memory, memoryInAll, memoryOf } from '../../../sizing/step';
import { bytes, limitOf, MACHINE, MODEL, memoryParts, ROWS, SEVERAL_RANKS, said, type Topic, time } from './topic';

type Stage = 0 | 1 | 2 | 3;
const STAGES: readonly Stage[] = [0, 1, 2, 3];
/** Parameters are gathered in bfloat16. */
const BYTES = 2;
/** The unit that computes, and the unit that is gathered meanwhile. */
const WHOLE_UNITS = 2;

/** Bytes of the whole parameters that a rank holds at stage 3: two units, each a block. */
function gathered(model: Model): number {
  const sizes = model.parts.map(parametersOfPart);
  return BYTES * WHOLE_UNITS * Math.max(...sizes);
}

export function memoryAt(stage: Stage, { model, rows, ranks }: Parameters<Topic['show']>[0]): Memory {
  const all = memoryOf(model, rows);
  const sliced = (from: Stage, whole: number): number => (stage >= from ? whole / ranks : whole);
  return {
    // At stage 2, too, fully_shard keeps shards of the float32 parameters; only the bfloat16 copy stays whole in a
    // step.
    weights: sliced(2, all.weights),
    gradients: sliced(2, all.gradients),
    states: sliced(1, all.states),
    casts: stage === 3 ? Math.min(all.casts, gathered(model)) : all.casts,
    activations: all.activations,
  };
}

export const sharding: Topic = {
  knobs: [MODEL, SEVERAL_RANKS, ROWS, MACHINE],
  start: { model: 'llama7b', ranks: '8', rows: '1' },
  show(chosen) {
    const { model, machine, rows, ranks } = chosen;
    const memory = STAGES.map((stage) => memoryAt(stage, chosen));
    const needed = memory.map(memoryInAll) as [number, number, number, number];
    const fits = STAGES.find((stage) => needed[stage] <= machine.memoryBytes);
    // For forward and for backward.
    const gatherUs = 2 * allGatherUs(BYTES * parametersOf(model), ranks, machine);
    const computeUs = forwardUs({ model, machine, rows }) + backwardUs({ model, machine, rows });
    return {
      bars: {
        bars: STAGES.map((stage, index) => ({
          label: stage === 0 ? 'stage 0, DDP' : `stage ${stage}`,
          parts: memoryParts(memory[index] ?? memoryAt(stage, chosen)),
        })),
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        ...STAGES.map((stage) => bytes(`stage${stage}`, `each rank, stage ${stage}`, needed[stage])),
        time('gather', 'time of all gathers of a step, stage 3', gatherUs),
        time('compute', 'time computing, modelled', computeUs),
      ],
      says: `${model.label} on ${ranks} ranks: ${said(needed[0], 'bytes')} on each with DDP, ${said(needed[3], 'bytes')} at stage 3. ${fits === undefined ? 'No stage fits' : fits === 0 ? 'Even DDP fits' : `Stage ${fits} is the first that fits`} a GPU of ${said(machine.memoryBytes, 'bytes')}. At stage 3 a step gathers for ${said(gatherUs, 'time')} and computes for ${said(computeUs, 'time')}, partly at the same time.`,
    };
  },
};
