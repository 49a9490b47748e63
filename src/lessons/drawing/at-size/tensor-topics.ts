/** Worked example about tensor parallelism: the time of all-reduces of activations, inside a node and across nodes. */
import { allReduceUs } from '../../../sizing/collective-time';
import { MODELS } from '../../../sizing/models';
import { backwardUs, forwardUs } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import { bytes, count, MACHINE, MODEL, ROWS, rowsInWords, SEVERAL_RANKS, said, share, type Topic, time } from './topic';

const TRANSFORMERS = MODELS.filter(({ tokens }) => tokens > 1);
const RANKS = [2, 4, 8, 16, 32];
/** All-reduces per block: attention and MLP, each forward and backward. */
const PER_BLOCK = 4;
/** Activations in bfloat16. */
const BYTES = 2;

export const tensorGroups: Topic = {
  models: TRANSFORMERS,
  knobs: [
    { ...MODEL, values: TRANSFORMERS.map(({ id }) => id), words: TRANSFORMERS.map(({ label }) => label) },
    { ...SEVERAL_RANKS, label: 'Ranks in a group', values: RANKS.map(String) },
    { ...ROWS, label: 'Rows per group', values: ['1', '2', '4', '8', '16'] },
    MACHINE,
  ],
  start: { model: 'llama7b', ranks: '8', rows: '1' },
  show({ model, machine, ranks, rows }) {
    // First and last are the embedding and the head.
    const blocks = model.parts.slice(1, -1);
    const size = BYTES * rows * (blocks[0]?.output ?? 0);
    const calls = PER_BLOCK * blocks.length;
    const whole = forwardUs({ model, machine, rows }) + backwardUs({ model, machine, rows });
    const commOf = (of: number) => calls * allReduceUs(size, of, machine);
    const bars = RANKS.map(
      (of): DrawnBar => ({
        label: `${of} ranks${of > machine.gpusPerNode ? `, ${Math.ceil(of / machine.gpusPerNode)} nodes` : ''}`,
        parts: [
          { words: 'one rank computes', tone: 'forward', value: whole / of },
          { words: 'it waits for all-reduces', tone: 'communication', value: commOf(of) },
        ],
      }),
    );
    const [compute, comm] = [whole / ranks, commOf(ranks)];
    const nodes = Math.ceil(ranks / machine.gpusPerNode);
    return {
      bars: { bars, format: 'time' },
      values: [
        bytes('each', 'activations in one all-reduce', size),
        count('calls', 'all-reduces in a step', calls),
        bytes('sent', 'bytes that a rank sends in a step', (calls * 2 * (ranks - 1) * size) / ranks),
        time('compute', 'time computing, modelled', compute),
        time('comm', 'time in all-reduces, modelled', comm),
        share('share', 'share of the step in all-reduces', comm / (compute + comm)),
      ],
      says: `${model.label} on ${ranks} ranks ${nodes === 1 ? 'in one node' : `on ${nodes} nodes`}, with ${rowsInWords(rows, model)}: ${said(calls, 'count')} all-reduces of ${said(size, 'bytes')} take ${said(comm, 'time')}, beside ${said(compute, 'time')} of computing. Each rank waits for ${said(comm / (compute + comm), 'percent')} of the step.`,
    };
  },
};
