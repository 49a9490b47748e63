/** Worked example about half precision: what a rank holds in float32, under autocast, and with weights in bfloat16. */
import { type Memory, memoryInAll, memoryOf, stepOf } from '../../../sizing/step';
import { bytes, limitOf, MACHINE, MODEL, memoryParts, ROWS, rowsInWords, said, type Topic, time } from './topic';

/** Without autocast activations have four bytes per number, and there are no casts. */
const inFloat32 = (memory: Memory): Memory => ({ ...memory, casts: 0, activations: 2 * memory.activations });

/** Everything in sixteen bits, including the weights and Adam's states. */
const pureHalf = (memory: Memory): Memory => ({
  weights: memory.weights / 2,
  gradients: memory.gradients / 2,
  states: memory.states / 2,
  casts: 0,
  activations: memory.activations,
});

export const halfPrecision: Topic = {
  knobs: [MODEL, ROWS, MACHINE],
  start: { model: 'llama7b', rows: '4', machine: 'h100' },
  show({ model, machine, rows }) {
    const autocast = memoryOf(model, rows);
    const [full, pure] = [inFloat32(autocast), pureHalf(autocast)];
    const [fullBytes, autocastBytes, pureBytes] = [full, autocast, pure].map(memoryInAll) as [number, number, number];
    const { stepUs } = stepOf({ model, machine, ranks: 1, rows });
    const less =
      autocastBytes < fullBytes
        ? `${said(fullBytes - autocastBytes, 'bytes')} less`
        : `${said(autocastBytes - fullBytes, 'bytes')} more`;
    return {
      bars: {
        bars: [
          { label: 'float32', parts: memoryParts(full) },
          { label: 'autocast', parts: memoryParts(autocast) },
          { label: 'all in bfloat16', parts: memoryParts(pure) },
        ],
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        bytes('float32', 'in float32', fullBytes),
        bytes('autocast', 'under autocast', autocastBytes),
        bytes('pure', 'all in bfloat16', pureBytes),
        bytes('activations', 'activations, under autocast', autocast.activations),
        bytes('casts', '16-bit copies of weights', autocast.casts),
        time('stepTime', 'time of a step under autocast, modelled', stepUs),
      ],
      says: `${model.label}, ${rowsInWords(rows, model)}: ${said(autocastBytes, 'bytes')} under autocast, ${less} than in float32. Activations take half, and the casts of the weights ${said(autocast.casts, 'bytes')}. With weights and states in bfloat16, too, it would be ${said(pureBytes, 'bytes')}, but small updates would be lost. A step under autocast takes ${said(stepUs, 'time')}.`,
    };
  },
};
