/** Worked example about the choice of a mode: the memory of a GPU in each mode, and the first mode that fits. */
import { allGatherUs } from '../../../sizing/collective-time';
import { type Model, parametersOf } from '../../../sizing/model';
import { MODELS } from '../../../sizing/models';
import { backwardUs, forwardUs, gradientBytes, memoryOf } from '../../../sizing/step';
import type { BarPart, DrawnBar } from '../bars';
import { memoryAt } from './sharding-topics';
import { bytes, limitOf, MACHINE, MODEL, memoryParts, ROWS, SEVERAL_RANKS, said, type Topic, time } from './topic';

const TRANSFORMERS: readonly Model[] = MODELS.filter(({ tokens }) => tokens > 1);
/** Parameters are gathered in bfloat16. */
const BYTES = 2;

/** A bar of the drawing: what a GPU holds in this mode. */
interface Mode {
  readonly label: string;
  readonly parts: readonly BarPart[];
}

/** From the simplest mode to the one with most messages. */
function modesOf(chosen: Parameters<Topic['show']>[0]): readonly Mode[] {
  const { model, machine, rows, ranks } = chosen;
  const alone = memoryParts(memoryOf(model, rows));
  const sharded = memoryAt(3, chosen);
  const tp = Math.min(ranks, machine.gpusPerNode);
  // A rank of a tensor group gathers its part of a layer, and with sequence parallelism keeps its part of activations.
  const cut = { ...sharded, casts: sharded.casts / tp, activations: sharded.activations / tp };
  return [
    { label: 'one GPU', parts: alone },
    {
      label: 'DDP',
      parts: [...alone, { words: 'buckets of DDP', tone: 'communication', value: gradientBytes(model) }],
    },
    { label: 'FSDP', parts: memoryParts(sharded) },
    { label: `FSDP with tp ${tp}`, parts: memoryParts(cut) },
  ];
}

const needs = ({ parts }: Mode): number => parts.reduce((all, { value }) => all + value, 0);

export const whichMode: Topic = {
  models: TRANSFORMERS,
  knobs: [
    { ...MODEL, values: TRANSFORMERS.map(({ id }) => id), words: TRANSFORMERS.map(({ label }) => label) },
    SEVERAL_RANKS,
    { ...ROWS, label: 'Rows per micro-batch', values: ['1', '2', '4', '8', '16'] },
    MACHINE,
  ],
  start: { model: 'llama7b', ranks: '16', rows: '1' },
  show(chosen) {
    const { model, machine, rows, ranks } = chosen;
    const modes = modesOf(chosen);
    const fits = modes.find((mode) => needs(mode) <= machine.memoryBytes);
    const [alone = 0, ddp = 0, fsdp = 0, tensor = 0] = modes.map(needs);
    // For forward and for backward.
    const gatherUs = 2 * allGatherUs(BYTES * parametersOf(model), ranks, machine);
    const computeUs = forwardUs({ model, machine, rows }) + backwardUs({ model, machine, rows });
    return {
      bars: {
        bars: modes.map(({ label, parts }): DrawnBar => ({ label, parts })),
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        bytes('alone', 'one GPU', alone),
        bytes('ddp', 'each rank, DDP', ddp),
        bytes('fsdp', 'each rank, FSDP', fsdp),
        bytes('tensor', 'each rank, FSDP and tp inside a node', tensor),
        time('gather', 'time of all gathers of a step, FSDP', gatherUs),
        time('compute', 'time computing with FSDP, modelled', computeUs),
      ],
      says: `${model.label} on ${ranks} ranks: one GPU would need ${said(alone, 'bytes')}, FSDP needs ${said(fsdp, 'bytes')} on each. ${fits ? `The first mode that fits a GPU of ${said(machine.memoryBytes, 'bytes')} is ${fits.label}.` : `No mode fits a GPU of ${said(machine.memoryBytes, 'bytes')}: use more ranks, fewer rows or activation checkpointing.`} With FSDP a step gathers for ${said(gatherUs, 'time')} and computes for ${said(computeUs, 'time')}, partly at the same time.`,
    };
  },
};
