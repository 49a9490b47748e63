/** Worked example about meshes: how many GPUs one replica needs, and what a rank sends along each axis of the mesh. */
import { MODELS } from '../../../sizing/models';
import { gradientBytes, type Memory, memoryInAll, memoryOf } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import {
  bytes,
  count,
  limitOf,
  MACHINE,
  MODEL,
  memoryParts,
  own,
  ROWS,
  SEVERAL_RANKS,
  said,
  type Topic,
} from './topic';

const TRANSFORMERS = MODELS.filter(({ tokens }) => tokens > 1);
/** All-reduces per block: attention and MLP, each forward and backward. */
const PER_BLOCK = 4;
/** Activations in bfloat16. */
const BYTES = 2;

interface Shape {
  readonly tp: number;
  readonly pp: number;
}

/** Inside a node of eight GPUs, then over several nodes. */
const SHAPES: readonly Shape[] = [
  { tp: 1, pp: 1 },
  { tp: 4, pp: 1 },
  { tp: 8, pp: 1 },
  { tp: 8, pp: 2 },
  { tp: 8, pp: 4 },
  { tp: 8, pp: 8 },
];
const FIRST: Shape = { tp: 1, pp: 1 };
const wordsOf = ({ tp, pp }: Shape): string => `tp ${tp}, pp ${pp}`;

/**
 * Memory of a rank of the first stage. With 1F1B it keeps the activations of as many micro-batches as there are stages,
 * and each of these is one stage's: together those of one micro-batch through the whole model.
 */
function memoryAt({ tp, pp }: Shape, { model, rows }: Parameters<Topic['show']>[0]): Memory {
  const all = memoryOf(model, rows);
  const divided = (whole: number): number => whole / (tp * pp);
  return {
    weights: divided(all.weights),
    gradients: divided(all.gradients),
    states: divided(all.states),
    casts: divided(all.casts),
    activations: all.activations / tp,
  };
}

export const meshes: Topic = {
  models: TRANSFORMERS,
  knobs: [
    { ...MODEL, values: TRANSFORMERS.map(({ id }) => id), words: TRANSFORMERS.map(({ label }) => label) },
    own('Mesh of a replica', SHAPES.map(wordsOf)),
    { ...SEVERAL_RANKS, label: 'Replicas, dp', values: ['2', '4', '8', '16', '32', '64'] },
    { ...ROWS, label: 'Rows per micro-batch', values: ['1', '2', '4', '8'] },
    MACHINE,
  ],
  start: { model: 'llama70b', own: 'tp 8, pp 4', ranks: '8', rows: '1' },
  show(chosen) {
    const { model, machine, rows, ranks: dp } = chosen;
    const shape = SHAPES.find((one) => wordsOf(one) === chosen.own) ?? FIRST;
    const { tp, pp } = shape;
    const needed = memoryInAll(memoryAt(shape, chosen));
    const fits = SHAPES.find((one) => memoryInAll(memoryAt(one, chosen)) <= machine.memoryBytes);
    // First and last are the embedding and the head.
    const blocks = model.parts.slice(1, -1);
    const activation = BYTES * rows * (blocks[0]?.output ?? 0);
    const alongTp = (((PER_BLOCK * blocks.length) / pp) * 2 * (tp - 1) * activation) / tp;
    const alongPp = pp > 1 ? 2 * activation : 0;
    const alongDp = (2 * (dp - 1) * gradientBytes(model)) / (dp * tp * pp);
    return {
      bars: {
        bars: SHAPES.map((one): DrawnBar => ({ label: wordsOf(one), parts: memoryParts(memoryAt(one, chosen)) })),
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        count('gpus', 'GPUs in all', tp * pp * dp),
        count('perReplica', 'GPUs of one replica', tp * pp),
        bytes('each', 'memory of each GPU', needed),
        bytes('alongTp', 'sent along tp by a rank, per micro-batch', alongTp),
        bytes('alongPp', 'sent along pp by a rank, per micro-batch', alongPp),
        bytes('alongDp', 'sent along dp by a rank, per step', alongDp),
      ],
      says: `${model.label} with ${wordsOf(shape)}: a replica has ${tp * pp} GPU${tp * pp === 1 ? '' : 's'}, and each needs ${said(needed, 'bytes')}${needed <= machine.memoryBytes ? ' of its' : ', more than its'} ${said(machine.memoryBytes, 'bytes')}. ${fits ? `The smallest of these meshes that fits is ${wordsOf(fits)}.` : 'None of these meshes fits.'} A rank sends ${said(alongTp, 'bytes')} along tp and ${said(alongPp, 'bytes')} along pp per micro-batch, and ${said(alongDp, 'bytes')} along dp per step.`,
    };
  },
};
