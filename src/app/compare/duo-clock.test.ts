import { describe, expect, it } from 'vitest';
import { traceOf } from '../testing/trace-of';
import { createTrack, endOf, nextTime, previousTime } from './duo-clock';

/** Layers of one device, one microsecond each: a step of 3 us beside one of 5 us. */
const short = createTrack([traceOf(0, 3)], 'modelled');
const long = createTrack([traceOf(0, 5)], 'modelled');
const both = [short, long];

describe('two steps on one clock', () => {
  it('lasts as long as the longer one', () => {
    expect(short.totalUs).toBe(3);
    expect(endOf(both)).toBe(5);
    expect(endOf([])).toBe(0);
  });

  it('puts both cursors at the same time', () => {
    expect(short.placeAt(1.5)).toMatchObject({ event: 1, fraction: 0.5 });
    expect(long.placeAt(1.5)).toMatchObject({ event: 1, fraction: 0.5 });
  });

  it('leaves the shorter step at its end', () => {
    expect(short.placeAt(4.5)).toMatchObject({ event: 2, fraction: 1 });
    expect(long.placeAt(4.5)).toMatchObject({ event: 4, fraction: 0.5 });
  });

  it('begins before the first event', () => {
    expect(short.placeAt(0)).toMatchObject({ event: -1, fraction: 1 });
  });

  it('goes from the end of a moment to the next moment of either run, and back', () => {
    expect(nextTime(both, 0, 'moment')).toBe(1);
    expect(nextTime(both, 3, 'moment')).toBe(4);
    expect(nextTime(both, 5, 'moment')).toBe(5);
    expect(previousTime(both, 4, 'moment')).toBe(3);
    expect(previousTime(both, 1, 'moment')).toBe(0);
  });

  it('rests at the end of a moment, and reaches the same place from both directions', () => {
    for (let time = 0; time < 5; time = nextTime(both, time, 'moment')) expect(long.placeAt(time)?.fraction).toBe(1);
  });

  it('puts the micro-batches of a step one after the other', () => {
    const two = createTrack([traceOf(0, 2), traceOf(1, 2)], 'modelled');
    expect(two.totalUs).toBe(4);
    expect(two.placeAt(1.5)?.trace.microBatch).toBe(0);
    expect(two.placeAt(2.5)).toMatchObject({ trace: { microBatch: 1 }, event: 0, fraction: 0.5 });
    expect(two.stops('moment')).toEqual([1, 2, 3, 4]);
  });
});
