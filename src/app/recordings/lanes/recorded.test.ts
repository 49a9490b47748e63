/** The recorded timeline of a real run with a slow rank: its blocks, their places, and the words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../base/invariant';
import { analyse } from '../../../recordings/analyse';
import { importFiles } from '../../../recordings/import-files';
import { recorded } from '../../../recordings/testing/files';
import { ncclTraces } from '../../../recordings/testing/nccl-traces';
import { bottom, overlaps, right } from '../../draw/geometry';
import type { LaneDirection } from '../../lanes/move-along';
import { between, WHOLE } from '../../lanes/view-window';
import { writingInk } from '../../testing/writing-ink';
import { blockAt, inView } from './blocks';
import { nestedTracks } from './rank-tracks';
import { createRecordedModel, type RecordedModel } from './recorded-model';
import type { FoundAt, SpanAt } from './recorded-scene-types';
import { searchRecording } from './recorded-search';
import { moveFound } from './recorded-selection';
import { blockLabels, tipOf } from './recorded-words';
import { createToneOf, shortName, toneAt } from './tones';

const NONE: ReadonlySet<number> = new Set();
const WIDTH = 1400;
let model: RecordedModel;

const first = (rank: number): SpanAt => {
  const { lane, span, collective } = blockAt(must(model.ranks[rank]?.communication[0], 'a track'), 0);
  return { rank, lane, span, collective };
};
const span = (at: SpanAt): FoundAt => ({ kind: 'span', at });

beforeAll(async () => {
  const { recording } = await importFiles(recorded('ddp4-slow2', /json[.]gz/));
  const read = must(recording, 'a recording');
  model = createRecordedModel(read, analyse(read));
});

describe('the tracks', () => {
  it('never overlap, and hold every collective once', () => {
    for (const { compute, communication, rank } of model.ranks) {
      for (const blocks of [compute, ...communication])
        for (let i = 1; i < blocks.count; i++)
          expect(blocks.startUs[i]).toBeGreaterThanOrEqual(blocks.endUs[i - 1] ?? 0);
      const ids = communication.flatMap((blocks) => [...blocks.collective]).sort();
      const own = model.recording.collectives.filter(({ parts }) => parts.some((part) => part.rank === rank.rank));
      expect(ids).toEqual(own.map(({ id }) => id).sort());
    }
  });

  it('have the phases of a step', () => {
    for (const { compute } of model.ranks) {
      const tones = new Set([...compute.tone].map(toneAt));
      expect([...tones]).toEqual(expect.arrayContaining(['forward', 'loss', 'backward', 'step']));
    }
  });

  it('say where a rank is idle: the slow rank in its loader', () => {
    const longest = (rank: number) =>
      must(
        [...(model.ranks[rank]?.gaps ?? [])].sort((a, b) => b.endUs - b.startUs - a.endUs + a.startUs)[0],
        'an idle stretch',
      );
    expect(longest(2).inside()?.name).toBe('slow_loader');
    expect(longest(2).endUs - longest(2).startUs).toBeGreaterThan(8000);
    expect(longest(0).inside()?.name).not.toBe('slow_loader');
  });

  it('show a thread with all nested spans', () => {
    const tracks = must(model.ranks[0], 'rank 0');
    const lane = must(tracks.rank.lanes[0], 'a lane');
    const rows = nestedTracks(tracks, lane, 0);
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(lane.spans.count);
    for (const blocks of rows)
      for (let i = 1; i < blocks.count; i++) expect(blocks.startUs[i]).toBeGreaterThanOrEqual(blocks.endUs[i - 1] ?? 0);
  });
});

describe('the layout', () => {
  it('keeps lanes apart at every width, folded and unfolded', () => {
    for (const width of [390, 720, 1400]) {
      for (const open of [NONE, new Set([0, 2])]) {
        const { rows, height } = model.layout(width, open);
        const lanes = rows.flatMap(({ placed, threads }) => [...placed, ...threads].map(({ rect }) => rect));
        lanes.forEach((lane, i) => {
          expect(right(lane)).toBeLessThanOrEqual(width);
          expect(bottom(lane)).toBeLessThanOrEqual(height);
          for (const other of lanes.slice(i + 1)) expect(overlaps(lane, other)).toBe(false);
        });
      }
    }
  });
});

describe('on a phone', () => {
  it('the arrow that unfolds a rank is beside the name', () => {
    const { ink } = writingInk(0.55);
    const { name } = must(model.layout(390, NONE).rows[0], 'a row');
    // The name begins 11 px from the left, and the arrow ends 4 px from the right (fold-buttons.tsx).
    const ends = 11 + ink.measure('rank 10', { size: 12 });
    expect(ends).toBeLessThanOrEqual(name.width - 4 - 7);
  });
});

describe('the scene', () => {
  it('flags the last rank of every collective, and it is rank 2', () => {
    model.view = WHOLE;
    const { rows } = model.look(WIDTH, NONE);
    const flags = rows.map(
      ({ tracks }) => tracks.flatMap(({ collectives }) => collectives).filter((one) => one.lastAt !== undefined).length,
    );
    expect(flags).toEqual([0, 0, 6, 0]);
  });

  it('divides a collective completely into waiting, hidden and exposed time', () => {
    model.view = WHOLE;
    for (const { tracks } of model.look(WIDTH, NONE).rows) {
      for (const one of tracks.flatMap(({ collectives }) => collectives)) {
        const parts = [...(one.waiting ? [one.waiting] : []), ...one.hidden, ...one.exposed];
        const width = parts.reduce((sum, rect) => sum + rect.width, 0);
        expect(Math.abs(width - one.rect.width)).toBeLessThan(5);
      }
    }
  });

  it('joins spans that share a pixel, and draws every span when zoomed in', () => {
    const { compute } = must(model.ranks[1], 'rank 1');
    const shown = () =>
      model.look(WIDTH, NONE).rows[1]?.tracks[0]?.blocks.filter((block) => block.at === undefined).length ?? 0;
    model.view = WHOLE;
    expect(shown()).toBeGreaterThan(0);
    const { startUs, endUs } = blockAt(compute, 4);
    const { from, to } = model.share({ startUs, endUs });
    model.view = between(from, to, model.smallest);
    expect(shown()).toBe(0);
    const [low, high] = inView(compute, startUs, endUs);
    expect(low).toBeLessThanOrEqual(4);
    expect(high).toBeGreaterThan(4);
  });

  it('links a collective on all ranks, and names the last', () => {
    model.view = WHOLE;
    model.look(WIDTH, NONE);
    const linked = must(model.linked(first(0).collective), 'a linked collective');
    expect(linked.parts).toHaveLength(4);
    expect(linked.last?.text).toMatch(/^last: rank 2, by \d/);
  });
});

describe('words', () => {
  it('say size, waiting, bandwidth and number of a collective', () => {
    const tip = tipOf(model.recording, model.analysis, span(first(0)));
    const facts = new Map(tip.facts);
    expect(tip.title).toBe('all-reduce');
    expect(facts.get('size')).toBe('273 kB, 68,362 float');
    expect(facts.get('last to join')).toMatch(/^rank 2, by/);
    expect(facts.get('bus bandwidth')).toMatch(/[MG]B\/s$/);
    expect(facts.get('sequence number')).toContain('counted in order');
    expect(blockLabels(model.recording, first(0))).toEqual(['all-reduce 273 kB', 'all-reduce', '273 kB']);
  });

  it('shorten names of operators', () => {
    const toneOf = createToneOf();
    expect(shortName('autograd::engine::evaluate_function: AddmmBackward0')).toBe('AddmmBackward0');
    expect(shortName('aten::linear')).toBe('linear');
    expect(shortName('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__')).toBe('DataLoader');
    expect(toneOf('operator', 'aten::linear', ['DistributedDataParallel.forward'])).toBe('forward');
    expect(toneOf('operator', 'aten::add_', ['ProfilerStep#4', 'Optimizer.step#SGD.step'])).toBe('step');
    expect(toneOf('kernel', 'ampere_sgemm_128x64_nn', [])).toBe('compute');
  });
});

describe('search and keys', () => {
  it('find spans by name and rank', () => {
    const all = must(searchRecording(model.recording, 'all_reduce'), 'matches');
    const one = must(searchRecording(model.recording, 'all_reduce rank 2'), 'matches');
    expect(one.count * 4).toBe(all.count);
    expect(one.list.every(({ rank }) => rank === 2)).toBe(true);
    expect(searchRecording(model.recording, ' ')).toBeUndefined();
    expect(searchRecording(model.recording, 'nonsense')?.count).toBe(0);
  });

  it('go along a track and from rank to rank', () => {
    const begin = must(moveFound(model.ranks, undefined, undefined, 'next'), 'the first span');
    expect(begin).toMatchObject({ kind: 'span', at: { rank: 0 } });
    const stretch = { startUs: 0, endUs: 1 };
    const next = must(moveFound(model.ranks, begin, stretch, 'next'), 'the next span');
    expect(moveFound(model.ranks, next, stretch, 'previous')).toEqual(begin);
    expect(moveFound(model.ranks, begin, stretch, 'previous')).toBeUndefined();
    expect(moveFound(model.ranks, begin, stretch, 'above')).toBeUndefined();
    let at: FoundAt | undefined = begin;
    const ranks = new Set<number>();
    for (let i = 0; i < 20 && at; i++) {
      if (at.kind === 'span') ranks.add(at.at.rank);
      at = moveFound(model.ranks, at, stretch, 'below');
    }
    expect([...ranks]).toEqual([0, 1, 2, 3]);
  });

  it('go from an idle stretch to the spans beside it', () => {
    const { gaps, compute } = must(model.ranks[0], 'rank 0');
    const gap = must(gaps[1], 'an idle stretch');
    const beside = (direction: LaneDirection) => moveFound(model.ranks, { kind: 'idle', rank: 0, gap }, gap, direction);
    const after = [...compute.startUs].findIndex((startUs) => startUs >= gap.endUs - 1e-6);
    const [before, next] = [blockAt(compute, after - 1), blockAt(compute, after)];
    expect(beside('next')).toMatchObject({ at: { lane: next.lane, span: next.span } });
    expect(beside('previous')).toMatchObject({ at: { lane: before.lane, span: before.span } });
  });
});

describe('ranks that join at once', () => {
  it('have no last rank: collectives of a stream begin when the previous one is done', async () => {
    const { recording } = await importFiles(ncclTraces({ ranks: 4, lateUs: { 1: 300 }, bytesPerUs: 20 }));
    const read = must(recording, 'a recording');
    const gpu = createRecordedModel(read, analyse(read));
    const flags = gpu
      .look(WIDTH, NONE)
      .rows.map(({ tracks }) =>
        tracks.flatMap(({ collectives }) => collectives.map(({ lastAt }) => lastAt !== undefined)),
      );
    // In each step, the first bucket waits for rank 1, and the second bucket for the first.
    expect(flags).toEqual([
      [false, false, false, false],
      [true, false, true, false],
      [false, false, false, false],
      [false, false, false, false],
    ]);
    const second = must(gpu.recording.collectives[1], 'a second bucket');
    expect(gpu.linked(second.id)?.last).toBeUndefined();
  });
});
