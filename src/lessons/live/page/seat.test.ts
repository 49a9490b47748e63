import { describe, expect, test } from 'vitest';
import { createSeat, type FigurePlace, seatFor } from './seat';

const place = (id: string, top: number, height = 400): FigurePlace => ({ id, top, bottom: top + height });

describe('seatFor', () => {
  test('no figure has the seat if none is in view', () => {
    expect(seatFor([], 800)).toBeUndefined();
    expect(seatFor([place('above', -500), place('below', 900)], 800)).toBeUndefined();
  });

  test('of two in view the one nearer to the middle', () => {
    expect(seatFor([place('a', -100), place('b', 350)], 800)).toBe('b');
    expect(seatFor([place('a', 60), place('b', 500)], 800)).toBe('a');
  });

  test('a strip at the edge is not in view', () => {
    expect(seatFor([place('a', 700)], 800)).toBeUndefined();
    expect(seatFor([place('a', 600)], 800)).toBe('a');
  });

  test('a figure that is higher than the window is in view where it covers enough of it', () => {
    expect(seatFor([place('tall', -1000, 3000)], 800)).toBe('tall');
    expect(seatFor([place('tall', 700, 3000)], 800)).toBeUndefined();
  });

  test('a figure that claimed the seat has it while it is in view', () => {
    const both = [place('a', 60), place('b', 500)];
    expect(seatFor(both, 800, 'b')).toBe('b');
    expect(seatFor([place('a', 60), place('b', 900)], 800, 'b')).toBe('a');
  });

  test('no figure has the seat in a hidden window', () => {
    expect(seatFor([place('a', 60)], 0)).toBeUndefined();
  });
});

describe('createSeat', () => {
  test('says each change once, and a claim ends when its figure has left', () => {
    let scrolled = 0;
    const said: string[] = [];
    const seat = createSeat({
      places: () => [place('a', 60 - scrolled), place('b', 500 - scrolled)],
      height: () => 800,
      onChange: (holder, before) => said.push(`${before} > ${holder}`),
    });
    seat.update();
    seat.update();
    seat.claim('b');
    scrolled = -200;
    seat.update();
    seat.update();
    scrolled = 0;
    seat.update();
    expect(said).toEqual(['undefined > a', 'a > b', 'b > a']);
  });
});
