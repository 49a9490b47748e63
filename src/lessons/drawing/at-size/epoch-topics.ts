/** Worked examples about rows: an epoch on many devices, rows of a sampler, effective batches, evaluation. */
import { must } from '../../../base/invariant';
import { parametersOf } from '../../../sizing/model';
import { forwardUs, gradientBytes, memoryInAll, memoryOf, optimizerUs, stepOf } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import {
  bytes,
  count,
  duration,
  fitNote,
  MACHINE,
  MODEL,
  own,
  RANKS,
  ROWS,
  SEVERAL_RANKS,
  said,
  share,
  type Topic,
  time,
} from './topic';

const EPOCH_RANKS = [1, 2, 4, 8, 16, 64];

/** Why more devices: an epoch on more and more of them. */
export const scaling: Topic = {
  knobs: [MODEL, ROWS, MACHINE],
  start: { model: 'resnet50', rows: '64' },
  show({ model, machine, rows }) {
    const stepsOn = (ranks: number) => Math.ceil(model.data.rows / (ranks * rows));
    const steps = new Map(EPOCH_RANKS.map((ranks) => [ranks, stepOf({ model, machine, ranks, rows })]));
    const stepOn = (ranks: number) => must(steps.get(ranks), `a step on ${ranks} GPUs`);
    const epochUs = (ranks: number) => stepsOn(ranks) * stepOn(ranks).stepUs;
    const bars = EPOCH_RANKS.map((ranks): DrawnBar => {
      const { stepUs, exposedUs } = stepOn(ranks);
      return {
        label: ranks === 1 ? '1 GPU' : `${ranks} GPUs`,
        parts: [
          { words: 'computing', tone: 'forward', value: stepsOn(ranks) * (stepUs - exposedUs) },
          { words: 'waiting for communication', tone: 'communication', value: stepsOn(ranks) * exposedUs },
        ],
      };
    });
    const faster = epochUs(1) / epochUs(64);
    return {
      bars: { bars, format: 'duration' },
      values: [
        duration('one', 'one pass over the data, 1 GPU, modelled', epochUs(1)),
        duration('eight', '8 GPUs', epochUs(8)),
        duration('sixtyFour', '64 GPUs', epochUs(64)),
        { id: 'faster', label: '64 GPUs are faster by a factor of', value: faster, format: 'times' },
        share('efficiency', 'of 64 times as fast', faster / 64),
      ],
      says: `Once over ${model.data.name} takes ${model.label} ${said(epochUs(1), 'duration')} on one GPU and ${said(epochUs(64), 'duration')} on 64: ${said(faster, 'times')} times as fast.${fitNote({ model, machine, rows })}`,
    };
  },
};

/** Samplers: rows, padding and steps of an epoch. */
export const epoch: Topic = {
  knobs: [MODEL, RANKS, ROWS],
  start: { model: 'resnet50', ranks: '64', rows: '32' },
  show({ model, ranks, rows }) {
    const all = model.data.rows;
    const each = Math.ceil(all / ranks);
    const padded = each * ranks - all;
    const steps = Math.ceil(each / rows);
    const bars = [1, 8, 64, 256].map(
      (n): DrawnBar => ({
        label: n === 1 ? '1 rank' : `${n} ranks`,
        parts: [
          { words: 'optimiser steps in an epoch', tone: 'optimizer', value: Math.ceil(Math.ceil(all / n) / rows) },
        ],
      }),
    );
    return {
      bars: { bars, format: 'count' },
      values: [
        count('rows', 'rows of the data set', all),
        count('each', 'rows for each rank', each),
        count('padded', 'rows that are read twice', padded),
        count('steps', 'steps in an epoch', steps),
        count('lastRows', 'rows of a rank’s last batch', each - (steps - 1) * rows),
      ],
      says: `${model.data.name} in rows of one ${model.row.split(' ')[0] ?? 'row'}: ${said(all, 'count')}. Over ${ranks} rank${ranks === 1 ? '' : 's'} each reads ${said(each, 'count')}, and ${padded === 0 ? 'no row is read twice' : `${said(padded, 'count')} row${padded === 1 ? ' is' : 's are'} read twice to make the shares equal`}. An epoch has ${said(steps, 'count')} steps.`,
    };
  },
};

const TARGETS = ['256', '512', '1024', '2048', '4096'];

/** Batch size: how micro-batches that fit make up a large batch. */
export const effective: Topic = {
  knobs: [MODEL, own('Rows per step', TARGETS), SEVERAL_RANKS, MACHINE],
  start: { own: '512', machine: 'pcie', ranks: '4' },
  show({ model, machine, ranks, own: target }) {
    const floor = memoryInAll(memoryOf(model, 0)) + gradientBytes(model);
    const perRow = memoryOf(model, 1).activations;
    const room = machine.memoryBytes - floor;
    const fits = room < perRow ? 0 : 2 ** Math.floor(Math.log2(room / perRow));
    const share_ = Math.max(1, Math.ceil(Number(target) / ranks));
    const rows = Math.max(1, Math.min(fits, share_));
    const accumulate = Math.ceil(share_ / rows);
    const alone = { model, machine, ranks: 1, rows };
    const micro = stepOf(alone).stepUs - optimizerUs(alone);
    const { exposedUs } = stepOf({ ...alone, ranks });
    const optimizer = optimizerUs(alone);
    const barOf = (label: string, syncs: number): DrawnBar => ({
      label,
      parts: [
        { words: 'forward and backward', tone: 'backward', value: accumulate * micro },
        { words: 'all-reduce after backward', tone: 'communication', value: syncs * exposedUs },
        { words: 'optimiser', tone: 'optimizer', value: optimizer },
      ],
    });
    const sent = (2 * (ranks - 1) * gradientBytes(model)) / ranks;
    return {
      bars: { bars: [barOf('every micro-batch', accumulate), barOf('no_sync', 1)], format: 'time' },
      values: [
        count('fits', 'rows that fit beside weights and states', fits),
        count('accumulate', 'micro-batches per step', accumulate),
        bytes('sent', 'bytes that a rank sends, no_sync', sent),
        bytes('sentEach', 'without no_sync', accumulate * sent),
        time('saved', 'time saved per step, modelled', (accumulate - 1) * exposedUs),
      ],
      says:
        fits === 0
          ? `Not one row of ${model.label} fits on a GPU of ${said(machine.memoryBytes, 'bytes')}: weights, gradients, buckets and states alone take ${said(floor, 'bytes')}.`
          : `${said(Number(target), 'count')} rows per step on ${ranks} ranks, of which ${said(rows, 'count')} go through a GPU at a time: ${said(accumulate, 'count')} micro-batch${accumulate === 1 ? '' : 'es'}. With no_sync a rank sends ${said(sent, 'bytes')} per step${accumulate === 1 ? '' : `, without it ${said(accumulate * sent, 'bytes')}`}.`,
    };
  },
};

/** Rows of the validation set: ImageNet's 50,000 pictures; of texts a thousandth of the data. */
const heldOut = (id: string, rows: number): number => (id === 'resnet50' ? 50_000 : Math.ceil(rows / 1000));

/** Your script: evaluating on one rank or on all, and the size of a checkpoint. */
export const evaluating: Topic = {
  knobs: [MODEL, SEVERAL_RANKS, ROWS, MACHINE],
  start: { model: 'resnet50', rows: '32' },
  show({ model, machine, ranks, rows }) {
    const held = heldOut(model.id, model.data.rows);
    const on = (n: number) => Math.ceil(held / n / rows) * forwardUs({ model, machine, rows });
    const saved = 4 * (1 + model.states) * parametersOf(model);
    return {
      bars: {
        bars: [
          { label: 'rank 0 alone', parts: [{ words: 'evaluating', tone: 'forward', value: on(1) }] },
          { label: `all ${ranks} ranks`, parts: [{ words: 'evaluating', tone: 'forward', value: on(ranks) }] },
        ],
        format: 'duration',
      },
      values: [
        count('held', 'rows held out', held),
        duration('alone', 'evaluating on rank 0, modelled', on(1)),
        duration('all', 'on all ranks, modelled', on(ranks)),
        bytes('checkpoint', 'checkpoint: weights and optimiser states', saved),
        bytes('tooMany', 'written if every rank saves', ranks * saved),
      ],
      says: `Evaluating ${said(held, 'count')} held-out rows of ${model.data.name} takes rank 0 alone ${said(on(1), 'duration')}, while ${ranks - 1} GPUs wait; all ranks need ${said(on(ranks), 'duration')}. A checkpoint has ${said(saved, 'bytes')}.`,
    };
  },
};
