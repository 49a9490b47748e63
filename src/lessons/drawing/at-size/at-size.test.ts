/**
 * Worked examples: every lesson has one, every setting gives finite numbers, and what the sentences say holds.
 *
 * @module-tag rest: the drawings of kinds/ are held in the same way.
 */
import { describe, expect, test } from 'vitest';
import { CONTENTS } from '../../../../learn/contents';
import { must } from '../../../base/invariant';
import { makeSchedule } from '../../../schedules/schedule';
import { timingOf } from '../../../schedules/timing';
import type { Changes } from '../../lesson';
import { type Drawn, settingsOf } from '../drawing';
import { kind, TOPICS } from './at-size';

const draw = (about: string, changes: Changes = {}): Drawn =>
  kind.draw({ settings: settingsOf(kind, about, changes), width: 900, about, data: undefined });

const value = (about: string, id: string, changes: Changes = {}): number =>
  must(
    draw(about, changes).values.find((own) => own.id === id),
    `${about}: ${id}`,
  ).value;

test('every finished lesson has a worked example', () => {
  for (const { name, planned } of CONTENTS)
    if (planned === undefined) expect(Object.keys(TOPICS), name).toContain(name);
});

describe.each(Object.keys(TOPICS))('%s', (about) => {
  const knobs = kind.knobs(about);

  test('each control starts at one of its values, has a label for each value, and changes picture or numbers', () => {
    const start = settingsOf(kind, about);
    for (const { key, values, words = values } of knobs) {
      expect(values, key).toContain(start[key]);
      expect(words).toHaveLength(values.length);
      const seen = new Set(values.map((own) => JSON.stringify(draw(about, { [key]: own }))));
      // Machines with the same GPU compute alike.
      expect(seen.size, key).toBeGreaterThan(key === 'machine' ? 1 : values.length / 2);
    }
  });

  test('another GPU changes picture or words, whatever the model and the batch', () => {
    if (!knobs.some(({ key }) => key === 'machine')) return;
    const others = knobs.filter(({ key }) => key === 'model' || key === 'rows');
    // The smallest batch and the largest: what lies between is modelled in the same way.
    const ends = ({ key, values }: (typeof others)[number]) => (key === 'rows' ? [values[0], values.at(-1)] : values);
    const settings = others.reduce<Changes[]>(
      (made, knob) => made.flatMap((own) => ends(knob).map((value) => ({ ...own, [knob.key]: must(value, 'value') }))),
      [{}],
    );
    for (const own of settings) {
      const [a100, h100] = ['a100', 'h100'].map((machine) => JSON.stringify(draw(about, { ...own, machine })));
      expect(a100, JSON.stringify(own)).not.toBe(h100);
    }
  });

  test('all settings give numbers that can be written, and no bar below zero', () => {
    for (const { key, values } of knobs)
      for (const own of values) {
        const { svg, values: found, says, table } = draw(about, { model: 'llama70b', [key]: own });
        for (const { id, value: number } of found) {
          expect(Number.isFinite(number), `${id} with ${key} ${own}`).toBe(true);
          expect(number).toBeGreaterThanOrEqual(0);
        }
        expect(`${svg} ${says} ${JSON.stringify(table)}`).not.toMatch(/NaN|Infinity|undefined|="-\d/);
      }
  });
});

describe('what they say', () => {
  test('Llama 2 7B with AdamW does not fit on one A100 of 40 GiB, whatever the batch; ResNet-50 does', () => {
    expect(value('one-device', 'memory', { model: 'llama7b', rows: '1' })).toBeGreaterThan(110 * 2 ** 30);
    expect(draw('one-device', { model: 'llama7b', rows: '1' }).says).toContain('more than the 40 GiB');
    expect(draw('one-device', { model: 'resnet50', rows: '64' }).says).toContain('A step takes');
  });

  test('the ring sends 2 (N - 1) / N of the gradients, and through rank 0 takes longer', () => {
    const size = value('all-reduce', 'gradientBytes');
    expect(size).toBe(4 * 124_439_808);
    for (const ranks of [2, 8, 64]) {
      expect(value('all-reduce', 'sent', { ranks: `${ranks}` })).toBe((2 * (ranks - 1) * size) / ranks);
      if (ranks > 2)
        expect(value('all-reduce', 'root', { ranks: `${ranks}` })).toBeGreaterThan(
          value('all-reduce', 'ring', { ranks: `${ranks}` }),
        );
    }
  });

  test('one bucket hides nothing; DDP’s own caps hide most on NVLink', () => {
    expect(value('buckets', 'hidden', { own: 'one' })).toBeLessThan(0.01);
    expect(value('buckets', 'hidden', { own: '25' })).toBeGreaterThan(0.6);
  });

  test('ImageNet over 64 ranks is padded by 49 rows', () => {
    expect(value('samplers', 'padded')).toBe(49);
    expect(value('samplers', 'each')).toBe(20_019);
  });

  test('no_sync divides the bytes by the number of micro-batches', () => {
    const ratio = value('batch-size', 'sentEach') / value('batch-size', 'sent');
    expect(ratio).toBe(value('batch-size', 'accumulate'));
    expect(ratio).toBeGreaterThan(1);
  });

  test('checkpointing every block of Llama 2 7B: under a quarter of the activations for under a third more time', () => {
    const [kept, everything] = [value('checkpointing', 'kept'), value('checkpointing', 'everything')];
    expect(kept / everything).toBeLessThan(0.25);
    expect(value('checkpointing', 'longer')).toBeLessThan(1 / 3);
    expect(value('checkpointing', 'longer')).toBeGreaterThan(0.25);
  });

  test('cutting Llama 2 7B over four devices divides its memory by nearly four', () => {
    const ratio = value('model-parallel', 'alone') / value('model-parallel', 'largest');
    expect(ratio).toBeGreaterThan(3.2);
    expect(ratio).toBeLessThanOrEqual(4);
  });

  test.each([
    { id: 'bubble', name: 'GPipe', stagesPerRank: 1 },
    { id: 'interleaved', name: 'Interleaved1F1B', stagesPerRank: 2 },
    { id: 'zeroBubble', name: 'InterleavedZeroBubble', stagesPerRank: 1 },
    { id: 'zbv', name: 'ZBVZeroBubble', stagesPerRank: 2 },
  ] as const)('bubble of $name: what the schedule has, cell by cell', ({ id, name, stagesPerRank }) => {
    const [stages, micros] = ['Stages', 'Micro-batches'].map((label) =>
      must(
        kind.knobs('pipeline-schedules').find((own) => own.label === label),
        label,
      ),
    );
    for (const ranks of stages?.values ?? [])
      for (const own of micros?.values ?? []) {
        const shape = { ranks: Number(ranks), microBatches: Number(own), stagesPerRank };
        const counted = timingOf(makeSchedule({ name, ...shape })).bubble;
        expect(value('pipeline-schedules', id, { ranks, own }), `${ranks} ranks, ${own}`).toBeCloseTo(counted, 12);
      }
  });

  test('16,384 GPUs are interrupted every three hours, as Meta reports', () => {
    const hours = value('when-it-goes-wrong', 'between', { ranks: '16384' }) / 3600e6;
    expect(hours).toBeCloseTo(3.09, 2);
  });
});
