/** Worked examples about the time of communication: rings, buckets, DataParallel, servers, starting, SyncBatchNorm. */
import { allGatherUs, allReduceUs, broadcastUs, throughRootUs } from '../../../sizing/collective-time';
import { sum } from '../../../sizing/model';
import { MODELS } from '../../../sizing/models';
import { RESNET_50 } from '../../../sizing/resnet';
import { backwardUs, bucketsOf, forwardUs, gradientBytes, optimizerUs, stepOf } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import {
  bytes,
  count,
  fitNote,
  MACHINE,
  MODEL,
  own,
  ROWS,
  rowsInWords,
  SEVERAL_RANKS,
  said,
  share,
  type Topic,
  time,
} from './topic';

/** All-reduce: around rings and through rank 0. */
export const ring: Topic = {
  knobs: [MODEL, SEVERAL_RANKS, ROWS, MACHINE],
  start: {},
  show({ model, machine, ranks, rows }) {
    const size = gradientBytes(model);
    const ringUs = allReduceUs(size, ranks, machine);
    const rootUs = throughRootUs(size, ranks, machine);
    const sent = (2 * (ranks - 1) * size) / ranks;
    const backward = backwardUs({ model, machine, rows });
    return {
      bars: {
        bars: [
          { label: 'ring', parts: [{ words: 'all-reduce', tone: 'communication', value: ringUs }] },
          { label: 'through rank 0', parts: [{ words: 'all-reduce', tone: 'communication', value: rootUs }] },
          {
            label: 'backward',
            parts: [{ words: `backward of ${rowsInWords(rows, model)}`, tone: 'backward', value: backward }],
          },
        ],
        format: 'time',
      },
      values: [
        bytes('gradientBytes', 'gradients, S', size),
        bytes('sent', 'bytes that a rank sends', sent),
        time('ring', 'time of the ring, modelled', ringUs),
        time('root', 'through rank 0, modelled', rootUs),
        time('backward', 'time of backward, modelled', backward),
      ],
      says: `${model.label} has ${said(size, 'bytes')} of gradients. On the ring each of ${ranks} ranks sends ${said(sent, 'bytes')} in ${said(ringUs, 'time')}; through rank 0 the sum takes ${said(rootUs, 'time')}, ${said(rootUs / ringUs, 'times')} times as long.${fitNote({ model, machine, rows })}`,
    };
  },
};

const CAPS = ['0', '1', '5', '25', '100', 'one'];

/** Buckets: lanes over time, backward above its all-reduces. */
export const buckets: Topic = {
  knobs: [
    MODEL,
    own('Bucket cap', CAPS, ['one per tensor', '1 MiB', '5 MiB', '25 MiB', '100 MiB', 'one bucket']),
    SEVERAL_RANKS,
    ROWS,
    MACHINE,
  ],
  start: { own: '25' },
  show({ model, machine, ranks, rows, own: cap }) {
    const limit = cap === 'one' ? Number.POSITIVE_INFINITY : Number(cap) * 2 ** 20;
    const caps = cap === '25' ? [2 ** 20, limit] : [Math.max(1, limit)];
    const asked = { model, machine, ranks, rows };
    const made = bucketsOf(asked, caps);
    const backward = backwardUs(asked);
    const { exposedUs, commUs, stepUs } = stepOf(asked, caps);
    const hidden = commUs === 0 ? 1 : 1 - Math.min(1, exposedUs / commUs);
    const lanes: readonly DrawnBar[] = [
      { label: 'backward', parts: [{ words: 'backward', tone: 'backward', value: backward }] },
      {
        label: 'all-reduce',
        parts: merged(made.map(({ startUs, endUs }) => ({ start: startUs, value: endUs - startUs }))).map((part) => ({
          words: 'all-reduces',
          tone: 'communication' as const,
          ...part,
        })),
        note: said(Math.max(backward, made.at(-1)?.endUs ?? 0), 'time'),
      },
    ];
    return {
      bars: { bars: lanes, format: 'time' },
      values: [
        count('buckets', 'buckets', made.length),
        time('comm', 'time of all all-reduces, modelled', commUs),
        time('exposed', 'of it after backward', exposedUs),
        share('hidden', 'hidden behind backward', hidden),
        time('stepTime', 'time of a step, modelled', stepUs),
      ],
      says: `${said(made.length, 'count')} bucket${made.length === 1 ? '' : 's'}: the all-reduces take ${said(commUs, 'time')} in all, and ${said(hidden, 'percent')} of that is hidden behind backward. ${said(exposedUs, 'time')} of the step is left over.${fitNote(asked)}`,
    };
  },
};

interface Stretch {
  readonly start: number;
  readonly value: number;
}

/** Joins neighbours that touch, because more stretches than the eye can tell apart only make the page larger. */
function merged(parts: readonly Stretch[], most = 80): readonly Stretch[] {
  if (parts.length <= most) return parts;
  const joined: Stretch[] = [];
  for (const { start, value } of parts) {
    const last = joined.at(-1);
    if (last && start - (last.start + last.value) < 1e-9)
      joined[joined.length - 1] = { start: last.start, value: start + value - last.start };
    else joined.push({ start, value });
  }
  return joined.length <= most ? joined : [...joined.slice(0, most - 1), ...joined.slice(-1)];
}

/** DataParallel: weights out and gradients back through cuda:0 in every step. */
export const gather: Topic = {
  knobs: [
    MODEL,
    { ...SEVERAL_RANKS, label: 'GPUs', values: ['2', '4', '8'] },
    ROWS,
    { ...MACHINE, values: MACHINE.values.slice(0, 3), words: (MACHINE.words ?? []).slice(0, 3) },
  ],
  start: { ranks: '4', rows: '32', model: 'resnet50', machine: 'pcie' },
  show({ model, machine, ranks, rows }) {
    const size = gradientBytes(model);
    const outUs = broadcastUs(size, ranks, machine);
    const backUs = throughRootUs(size, ranks, machine) / 2;
    const asked = { model, machine, ranks, rows };
    const [forward, backward, optimizer] = [forwardUs(asked), backwardUs(asked), optimizerUs(asked)];
    const { exposedUs, stepUs } = stepOf(asked);
    const parallel = outUs + forward + backward + backUs + optimizer;
    const computed = [
      { words: 'forward', tone: 'forward', value: forward },
      { words: 'backward', tone: 'backward', value: backward },
    ] as const;
    const last = { words: 'optimiser', tone: 'optimizer', value: optimizer } as const;
    return {
      bars: {
        bars: [
          {
            label: 'DataParallel',
            parts: [
              { words: 'weights and gradients in transit', tone: 'communication', value: outUs },
              ...computed,
              { words: '', tone: 'communication', value: backUs },
              last,
            ],
          },
          { label: 'DDP', parts: [...computed, { words: '', tone: 'communication', value: exposedUs }, last] },
        ],
        format: 'time',
      },
      values: [
        bytes('weights', 'weights that cuda:0 sends to each GPU', size),
        time('out', 'time to send the weights, modelled', outUs),
        time('back', 'time to add up the gradients, modelled', backUs),
        time('parallel', 'step with DataParallel, modelled', parallel),
        time('ddp', 'step with DDP, modelled', stepUs),
        share('longer', 'DataParallel takes longer by', parallel / stepUs - 1),
      ],
      says: `In every step cuda:0 sends ${said(size, 'bytes')} of weights to ${ranks === 2 ? 'the other GPU' : `${ranks - 1} other GPUs`} and adds up as many bytes of gradients from each. The step takes ${said(parallel, 'time')}; DDP, which sends only gradients and hides them behind backward, needs ${said(stepUs, 'time')}.${fitNote(asked)}`,
    };
  },
};

/** Servers that hold the variables, beside a ring. */
export const servers: Topic = {
  knobs: [MODEL, { ...SEVERAL_RANKS, label: 'Workers' }, own('Servers', ['1', '2', '4', '8']), MACHINE],
  start: { machine: 'ethernet', model: 'resnet50', own: '1' },
  show({ model, machine, ranks, own: of }) {
    const size = gradientBytes(model);
    const count_ = Number(of);
    const { bytesPerSecond } = machine.hardware.across;
    const into = (size * ranks) / count_;
    const serverUs = (2 * 1e6 * into) / bytesPerSecond;
    const ringUs = allReduceUs(size, ranks, machine);
    return {
      bars: {
        bars: [
          {
            label: `${of} server${of === '1' ? '' : 's'}`,
            parts: [{ words: 'gradients in, weights out', tone: 'communication', value: serverUs }],
          },
          { label: 'all-reduce', parts: [{ words: 'all-reduce', tone: 'gradients', value: ringUs }] },
        ],
        format: 'time',
      },
      values: [
        bytes('into', 'bytes into one server per step', into),
        time('server', 'time through the servers, modelled', serverUs),
        time('ring', 'time of an all-reduce, modelled', ringUs),
      ],
      says: `${ranks} workers send ${said(into, 'bytes')} into ${of === '1' ? 'the one server' : 'each server'} per step and fetch as much: ${said(serverUs, 'time')}. An all-reduce of the same gradients among the workers takes ${said(ringUs, 'time')}.`,
    };
  },
};

/** DDP's constructor: rank 0's weights to all. */
export const starting: Topic = {
  knobs: [MODEL, { ...SEVERAL_RANKS, label: 'Processes' }, MACHINE],
  start: { ranks: '16' },
  show({ model, machine, ranks }) {
    const size = gradientBytes(model);
    const nodes = Math.ceil(ranks / machine.gpusPerNode);
    const us = broadcastUs(size, ranks, machine);
    const bars = MODELS.map(
      (one): DrawnBar => ({
        label: one.label,
        parts: [{ words: '', tone: 'communication', value: broadcastUs(gradientBytes(one), ranks, machine) }],
      }),
    );
    return {
      bars: { bars, format: 'time' },
      values: [
        count('processes', 'processes', ranks),
        count('nodes', 'nodes: torchrun is started on each', nodes),
        count('perNode', 'processes on a full node', Math.min(ranks, machine.gpusPerNode)),
        bytes('weights', 'weights that rank 0 sends', size),
        time('broadcast', 'time of that broadcast, modelled', us),
      ],
      says: `${ranks} processes on ${nodes === 1 ? 'one node' : `${nodes} nodes, torchrun started on each`}. Before the first step DDP sends rank 0’s weights to all: ${said(size, 'bytes')} for ${model.label}, in ${said(us, 'time')}. Starting the processes and meeting at the rendezvous takes longer than that.`,
    };
  },
};

/** SyncBatchNorm in ResNet-50: the messages of its 53 layers. */
export const batchNorms: Topic = {
  knobs: [{ ...ROWS, values: ['2', '4', '8', '16', '32', '64'] }, SEVERAL_RANKS, MACHINE],
  start: { model: 'resnet50', rows: '8' },
  models: [RESNET_50],
  show({ machine, ranks, rows }) {
    const model = RESNET_50;
    const layers = model.batchNorms;
    // Forward gathers mean, inverse spread and count; backward reduces two sums per channel.
    const gathered = layers.map((channels) => 4 * (2 * channels + 1));
    const reduced = layers.map((channels) => 4 * 2 * channels);
    const syncUs =
      sum(gathered, (own) => allGatherUs(own * ranks, ranks, machine)) +
      sum(reduced, (own) => allReduceUs(own, ranks, machine));
    const { stepUs } = stepOf({ model, machine, ranks, rows });
    const largest = Math.max(...gathered);
    return {
      bars: {
        bars: [
          { label: 'BatchNorm', parts: [{ words: 'step', tone: 'forward', value: stepUs }] },
          {
            label: 'SyncBatchNorm',
            parts: [
              { words: 'step', tone: 'forward', value: stepUs },
              { words: 'waiting for statistics', tone: 'communication', value: syncUs },
            ],
          },
        ],
        format: 'time',
      },
      values: [
        count('layers', 'batch norms', layers.length),
        count('collectives', 'additional collectives in a step', 2 * layers.length),
        bytes('largest', 'largest message of a rank', largest),
        time('sync', 'time of these, modelled', syncUs),
        time('stepTime', 'step without them, modelled', stepUs),
        share('longer', 'the step is longer by', syncUs / stepUs),
      ],
      says: `ResNet-50 has ${layers.length} batch norms, so SyncBatchNorm adds ${2 * layers.length} collectives to a step. The largest carries ${said(largest, 'bytes')} from each rank: nearly all of the ${said(syncUs, 'time')} is latency, and none of it is hidden. The step is ${said(syncUs / stepUs, 'percent')} longer.`,
    };
  },
};
