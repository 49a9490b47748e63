/** Worked examples about memory: one device, replicas, layers on several devices, activation checkpointing. */
import { messageUs } from '../../../sizing/collective-time';
import { keptOfPart, type Model, type ModelPart, parametersOf, parametersOfPart, sum } from '../../../sizing/model';
import { forwardUs, memoryInAll, memoryOf, partUs, stepOf } from '../../../sizing/step';
import type { BarPart, DrawnBar } from '../bars';
import {
  bytes,
  count,
  fitNote,
  limitOf,
  MACHINE,
  MODEL,
  memoryParts,
  ROWS,
  rowsInWords,
  SEVERAL_RANKS,
  said,
  share,
  type Topic,
  time,
} from './topic';

/** One device: what a step holds, and how long it takes. */
export const oneDevice: Topic = {
  knobs: [MODEL, ROWS, MACHINE],
  start: {},
  show({ model, machine, rows }) {
    const memory = memoryOf(model, rows);
    const needed = memoryInAll(memory);
    const { stepUs } = stepOf({ model, machine, ranks: 1, rows });
    const fits = needed <= machine.memoryBytes;
    return {
      bars: {
        bars: [
          { label: 'in backward', parts: memoryParts(memory) },
          {
            label: 'between steps',
            parts: memoryParts(memory).filter(({ tone }) => tone === 'weights' || tone === 'states'),
          },
        ],
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        count('parameters', 'parameters', parametersOf(model)),
        bytes('weights', 'weights', memory.weights),
        bytes('gradients', 'gradients', memory.gradients),
        bytes('states', 'optimiser states', memory.states),
        bytes('casts', '16-bit copies of weights', memory.casts),
        bytes('activations', 'activations', memory.activations),
        bytes('memory', 'together', needed),
        time('stepTime', 'time of a step, modelled', stepUs),
      ],
      says: `${model.label}, ${rowsInWords(rows, model)}: ${said(memory.activations, 'bytes')} of activations beside ${said(needed - memory.activations, 'bytes')} that do not depend on the batch. ${fits ? `A step takes ${said(stepUs, 'time')}.` : `That is more than the ${said(machine.memoryBytes, 'bytes')} of one GPU.`}`,
    };
  },
};

/** The GPU memory that a rank leaves free, or a note that the rank does not fit. */
function roomNote(needed: number, chosen: Parameters<typeof fitNote>[0]): string {
  const has = chosen.machine.memoryBytes;
  if (needed <= has) return ` A GPU has ${said(has, 'bytes')}, of which ${said(has - needed, 'bytes')} stay free.`;
  return fitNote(chosen) || ` That is more than the ${said(has, 'bytes')} of one GPU.`;
}

/** DDP: every rank keeps everything; sharding divides all but the activations. */
export const replicas: Topic = {
  knobs: [MODEL, SEVERAL_RANKS, ROWS, MACHINE],
  start: { rows: '32' },
  show({ model, machine, ranks, rows }) {
    const memory = memoryOf(model, rows);
    const buckets = memory.gradients;
    const needed = memoryInAll(memory) + buckets;
    const divided = {
      ...memory,
      weights: memory.weights / ranks,
      gradients: memory.gradients / ranks,
      states: memory.states / ranks,
      casts: memory.casts / ranks,
    };
    const bucketPart: BarPart = { words: 'buckets of DDP', tone: 'communication', value: buckets };
    const one = memory.weights + memory.states;
    return {
      bars: {
        bars: [
          { label: 'one GPU alone', parts: memoryParts(memory) },
          { label: 'each rank, DDP', parts: [...memoryParts(memory), bucketPart] },
          { label: 'each rank, states divided', parts: memoryParts(divided) },
        ],
        format: 'bytes',
        limit: limitOf(machine),
      },
      values: [
        bytes('memory', 'each rank, DDP', needed),
        bytes('buckets', 'of it DDP’s buckets', buckets),
        bytes('sharded', 'each rank, states divided', memoryInAll(divided)),
        bytes('copies', 'weights and optimiser states on all ranks', one * ranks),
        bytes('free', 'left free on each GPU', Math.max(0, machine.memoryBytes - needed)),
      ],
      says: `Each of ${ranks} ranks holds all of ${model.label}: ${said(needed, 'bytes')}, of which ${said(buckets, 'bytes')} are DDP’s buckets, a second copy of the gradients. The ranks together store ${ranks} equal copies of weights and optimiser states, ${said(one * ranks, 'bytes')}.${roomNote(needed, { model, machine, rows })}`,
    };
  },
};

/** Consecutive parts, so that the slowest device computes as little as possible: greedy by the time of each part. */
export function cut(
  model: Model,
  devices: number,
  timeOf: (part: ModelPart) => number,
): readonly (readonly ModelPart[])[] {
  const total = sum(model.parts, timeOf);
  const stages: ModelPart[][] = Array.from({ length: devices }, () => []);
  let passed = 0;
  for (const part of model.parts) {
    const middle = passed + timeOf(part) / 2;
    const stage = Math.min(devices - 1, Math.floor((devices * middle) / total));
    stages[stage]?.push(part);
    passed += timeOf(part);
  }
  return stages;
}

const stageMemory = (parts: readonly ModelPart[], model: Model, rows: number): readonly BarPart[] => {
  const parameters = sum(parts, parametersOfPart);
  return memoryParts({
    weights: 4 * parameters,
    gradients: 4 * parameters,
    states: 4 * model.states * parameters,
    casts: 2 * parameters,
    activations: rows * sum(parts, keptOfPart),
  });
};

/** Layers on several devices, one after the other. */
export const stages: Topic = {
  knobs: [MODEL, { ...SEVERAL_RANKS, label: 'Devices', values: ['2', '4', '8', '16'] }, ROWS, MACHINE],
  start: { model: 'llama7b', ranks: '4', rows: '1' },
  show({ model, machine, ranks: devices, rows }) {
    const cuts = cut(model, devices, (part) => partUs(part, rows, 3, machine));
    const bars = cuts.map(
      (parts, device): DrawnBar => ({ label: `cuda:${device}`, parts: stageMemory(parts, model, rows) }),
    );
    const largest = Math.max(...bars.map(({ parts }) => sum(parts, ({ value }) => value)));
    const border = 2 * rows * (cuts[0]?.at(-1)?.output ?? 0);
    const sentUs = messageUs(border, devices > machine.gpusPerNode ? 'nodes' : 'GPUs', machine);
    const stepUs = stepOf({ model, machine, ranks: 1, rows }).stepUs;
    return {
      bars: { bars, format: 'bytes', limit: limitOf(machine) },
      values: [
        bytes('largest', 'fullest device', largest),
        bytes('alone', 'one device alone', memoryInAll(memoryOf(model, rows))),
        bytes('border', 'activations across one border', border),
        time('sent', 'time of that message', sentUs),
        share('idle', 'time that a device waits', 1 - 1 / devices),
        time('stepTime', 'time of a step, modelled', stepUs + 2 * (devices - 1) * sentUs),
      ],
      says: `${model.label} on ${devices} devices: the fullest holds ${said(largest, 'bytes')}${largest <= machine.memoryBytes ? ', which fits' : `, more than its ${said(machine.memoryBytes, 'bytes')}`}. Only ${said(border, 'bytes')} cross each border, in ${said(sentUs, 'time')}; but each device waits for ${said(1 - 1 / devices, 'percent')} of the step.`,
    };
  },
};

/** Activation checkpointing: keeps the inputs of every k-th block and computes the rest again. */
export const checkpointing: Topic = {
  knobs: [
    MODEL,
    {
      key: 'own',
      label: 'Keep',
      values: ['0', '1', '2', '4'],
      words: ['everything', 'inputs of every block', 'of every second', 'of every fourth'],
    },
    ROWS,
    MACHINE,
  ],
  start: { model: 'llama7b', rows: '4', machine: 'h100', own: '1' },
  show({ model, machine, rows, own }) {
    const every = Number(own);
    const blocks = model.parts.slice(1, -1);
    const ends = [model.parts[0], model.parts.at(-1)].filter((part) => part !== undefined);
    const memory = memoryOf(model, rows);
    const groups =
      every === 0
        ? []
        : Array.from({ length: Math.ceil(blocks.length / every) }, (_, k) => blocks.slice(k * every, (k + 1) * every));
    const inputs = 2 * rows * sum(groups, ([first]) => inputOf(model, first));
    const again = Math.max(0, ...groups.map((own) => rows * sum(own, keptOfPart)));
    const kept = every === 0 ? memory.activations : rows * sum(ends, keptOfPart) + inputs + again;
    const againUs = every === 0 ? 0 : sum(blocks, (part) => partUs(part, rows, 1, machine));
    const { stepUs } = stepOf({ model, machine, ranks: 1, rows });
    const rest = memoryInAll(memory) - memory.activations;
    return {
      bars: {
        bars: [
          {
            label: 'keep everything',
            parts: [{ words: 'activations', tone: 'activations', value: memory.activations }],
          },
          {
            label: 'checkpointed',
            parts:
              every === 0
                ? [{ words: 'activations', tone: 'activations', value: kept }]
                : [
                    { words: 'inputs that are kept', tone: 'weights', value: inputs },
                    { words: 'one piece, computed again', tone: 'again', value: again },
                    { words: 'activations', tone: 'activations', value: rows * sum(ends, keptOfPart) },
                  ],
          },
        ],
        format: 'bytes',
        limit: {
          value: Math.max(0, machine.memoryBytes - rest),
          words:
            rest < machine.memoryBytes
              ? `room beside weights and states, ${said(machine.memoryBytes - rest, 'bytes')}`
              : 'weights and states fill the GPU',
        },
      },
      values: [
        bytes('everything', 'activations, all kept', memory.activations),
        bytes('kept', 'activations, checkpointed', kept),
        time('again', 'forward computed again', againUs),
        share('longer', 'the step is longer by', againUs / stepUs),
        time('stepTime', 'time of a step without it, modelled', stepUs),
      ],
      says:
        every === 0
          ? `${model.label}, ${rowsInWords(rows, model)}: autograd keeps ${said(kept, 'bytes')} of activations until backward.`
          : `Checkpointing keeps ${said(kept, 'bytes')} instead of ${said(memory.activations, 'bytes')}, and computes ${said(againUs, 'time')} of forward again: the step is ${said(againUs / stepUs, 'percent')} longer, not ${said(againUs / forwardUs({ model, machine, rows }), 'percent')}, since backward is twice the forward pass.`,
    };
  },
};

/** Number of elements that one row gives to a part: the previous part's output. */
function inputOf({ parts }: Model, part: ModelPart | undefined): number {
  const index = part ? parts.indexOf(part) : -1;
  return parts[index - 1]?.output ?? 0;
}
