import { describe, expect, it } from 'vitest';
import { at } from '../../base/invariant';
import { bottom, grow, overlaps, type Path, type Rect, right, type Size } from '../draw/geometry';
import { layoutStage, type StageLayout, type StageLink } from './layout';
import { routeLinks } from './routes';

/** Sizes of the stage beside set-up and result on screens from 390 to 1920 pixels wide, and smaller ones. */
const SIZES: readonly Size[] = [320, 390, 480, 690, 704, 856, 1330, 1700].flatMap((width) =>
  [230, 330, 470, 616, 900].map((height) => ({ width, height })),
);
const DEVICES = Array.from({ length: 16 }, (_, i) => i + 1);
const LARGEST = { width: 560, height: 480 };

const ring = (n: number): StageLink[] =>
  Array.from({ length: n }, (_, r) => ({ from: r, to: (r + n - 1) % n })).filter((l) => l.from !== l.to);
const star = (n: number): StageLink[] =>
  Array.from({ length: n - 1 }, (_, r) => [
    { from: 0, to: r + 1 },
    { from: r + 1, to: 0 },
  ]).flat();
const pipeline = (n: number): StageLink[] =>
  Array.from({ length: n - 1 }, (_, r) => [
    { from: r, to: r + 1 },
    { from: r + 1, to: r },
  ]).flat();
const everyPair = (n: number): StageLink[] =>
  Array.from({ length: n * n }, (_, i) => ({ from: Math.floor(i / n), to: i % n })).filter((l) => l.from !== l.to);
const TRAFFIC = { ring, star, pipeline, everyPair, none: (): StageLink[] => [] };

const layoutFor = (devices: number, size: Size, links: readonly StageLink[]): StageLayout =>
  layoutStage({ ...size, devices, largest: LARGEST, links });

/** The rectangle around each straight piece of a road. */
const pieces = (path: Path): readonly Rect[] =>
  path.slice(1).map((b, i) => {
    const a = at(path, i);
    const from = { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y) };
    return { ...from, width: Math.abs(a.x - b.x) + 0.01, height: Math.abs(a.y - b.y) + 0.01 };
  });

describe.each(Object.entries(TRAFFIC))('layoutStage, %s', (_, links) => {
  it.each(DEVICES)('%i rooms do not overlap, are inside the stage, and no road crosses a room', (devices) => {
    for (const size of SIZES) {
      const layout = layoutFor(devices, size, links(devices));
      const { rooms } = layout;
      expect(rooms).toHaveLength(devices);
      expect(layout).toMatchObject(size);
      const isInside = (room: Rect) =>
        room.x >= 0 && room.y >= 0 && right(room) <= size.width && bottom(room) <= size.height;
      expect(rooms.filter((room) => !isInside(room))).toEqual([]);
      expect(rooms.filter((room, i) => rooms.slice(i + 1).some((other) => overlaps(room, other)))).toEqual([]);
      const routes = routeLinks(layout, links(devices));
      expect(routes).toHaveLength(links(devices).length);
      const roads = routes.flatMap(({ path }) => pieces(path));
      expect(roads.filter((road) => rooms.some((room) => overlaps(road, grow(room, -1))))).toEqual([]);
      expect(roads.filter((r) => r.x < 0 || r.y < 0 || right(r) > size.width || bottom(r) > size.height)).toEqual([]);
      for (const { path } of routes)
        expect(path.slice(1).every((p, i) => p.x === at(path, i).x || p.y === at(path, i).y)).toBe(true);
    }
  });
});

describe('the rooms of a ring', () => {
  const shape = (devices: number, size: Size) => {
    const { columns, rows } = layoutFor(devices, size, ring(devices));
    return `${columns} x ${rows}`;
  };

  it('are columns: up to four in one row, eight in two', () => {
    for (const size of [
      { width: 1330, height: 620 },
      { width: 820, height: 470 },
      { width: 696, height: 330 },
    ]) {
      expect(shape(2, size)).toBe('2 x 1');
      expect(shape(4, size)).toBe('4 x 1');
      expect(shape(8, size)).toBe('4 x 2');
    }
  });

  it('are rows on a phone', () => {
    expect(shape(2, { width: 390, height: 540 })).toBe('1 x 2');
    expect(shape(4, { width: 390, height: 540 })).toBe('1 x 4');
  });

  it('turn at the end of a row: the second row runs back', () => {
    const { rooms } = layoutFor(8, { width: 820, height: 470 }, ring(8));
    expect(at(rooms, 4).x).toBe(at(rooms, 3).x);
    expect(at(rooms, 7).x).toBe(at(rooms, 0).x);
    expect(at(rooms, 4).y).toBeGreaterThan(bottom(at(rooms, 3)));
  });

  it('have at least 70 x 60 pixels, sixteen of them on a laptop and on a phone', () => {
    for (const size of [
      { width: 820, height: 470 },
      { width: 696, height: 330 },
      { width: 704, height: 380 },
      { width: 390, height: 500 },
    ]) {
      for (const links of [ring(16), star(16), pipeline(16)]) {
        const room = at(layoutFor(16, size, links).rooms, 0);
        expect(room.width).toBeGreaterThanOrEqual(70);
        expect(room.height).toBeGreaterThanOrEqual(60);
      }
    }
  });

  it('have space for the name of their rank, also 64 rooms', () => {
    for (const size of [
      { width: 856, height: 388 },
      { width: 390, height: 592 },
    ])
      for (const links of [[], ring(32), ring(64)]) {
        const room = at(layoutFor(links.length === 32 ? 32 : 64, size, links).rooms, 0);
        expect(room.width).toBeGreaterThanOrEqual(58);
        expect(room.height).toBeGreaterThanOrEqual(20);
      }
  });
});

describe('routeLinks', () => {
  it('gives each direction of a road its own side', () => {
    const layout = layoutFor(2, { width: 856, height: 616 }, star(2));
    const [there, back] = routeLinks(layout, star(2));
    expect(there?.path[0]?.y).not.toBe(back?.path[0]?.y);
  });
});

it('lets the messages of a pipeline on a phone pass each other: a packet is 64 pixels wide', () => {
  const layout = layoutFor(8, { width: 390, height: 560 }, pipeline(8));
  const routes = routeLinks(layout, pipeline(8));
  const xOf = (from: number, to: number) =>
    at(
      at(
        routes.filter((r) => r.from === from && r.to === to),
        0,
      ).path,
      0,
    ).x;
  const { cells } = layout;
  const upright = [0, 1, 2, 3, 4, 5, 6].filter((rank) => at(cells, rank).column === at(cells, rank + 1).column);
  expect(upright.length).toBeGreaterThan(0);
  for (const rank of upright) expect(Math.abs(xOf(rank, rank + 1) - xOf(rank + 1, rank))).toBeGreaterThan(64);
});

it('lays out settings that no session has accepted: more replicas than devices', () => {
  const size = { width: 856, height: 388 };
  const given = { ...size, devices: 4, largest: LARGEST, links: [] };
  expect(layoutStage({ ...given, stack: 40 })).toEqual(layoutStage(given));
  expect(layoutStage({ ...given, stack: 3 })).toEqual(layoutStage(given));
});
