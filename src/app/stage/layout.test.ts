import { describe, expect, it } from 'vitest';
import { bottom, overlaps, right } from '../draw/geometry';
import { layoutStage } from './layout';
import { type Link, routeLinks } from './routes';

const SIZES = [390, 480, 700, 856, 1100, 1600].flatMap((width) => [420, 616, 900].map((height) => ({ width, height })));
const DEVICES = [1, 2, 3, 4, 5, 6, 7, 8];
const smallest = { width: 200, height: 210 };
const largest = { width: 420, height: 340 };

const layoutFor = (devices: number, size: { width: number; height: number }) =>
  layoutStage({
    ...size,
    devices,
    smallest: size.width < 560 ? { width: 150, height: 180 } : smallest,
    largest,
    traffic: devices > 1,
  });

const ring = (n: number): Link[] =>
  Array.from({ length: n }, (_, r) => ({ from: r, to: (r + n - 1) % n })).filter((l) => l.from !== l.to);
const star = (n: number): Link[] =>
  Array.from({ length: n - 1 }, (_, r) => [
    { from: 0, to: r + 1 },
    { from: r + 1, to: 0 },
  ]).flat();

describe('layoutStage', () => {
  it.each(DEVICES)('%i rooms lie apart and inside the stage at every size', (devices) => {
    for (const size of SIZES) {
      const { rooms, width, height } = layoutFor(devices, size);
      expect(rooms).toHaveLength(devices);
      rooms.forEach((room, i) => {
        expect(room.x).toBeGreaterThanOrEqual(0);
        expect(room.y).toBeGreaterThanOrEqual(0);
        expect(right(room)).toBeLessThanOrEqual(width);
        expect(bottom(room)).toBeLessThanOrEqual(height);
        for (const other of rooms.slice(i + 1)) expect(overlaps(room, other)).toBe(false);
      });
    }
  });

  it('is as wide as asked and never lower', () => {
    for (const size of SIZES) {
      const layout = layoutFor(8, size);
      expect(layout.width).toBe(size.width);
      expect(layout.height).toBeGreaterThanOrEqual(size.height);
    }
  });

  it('walks the rim clockwise: four stand as 0 1 over 3 2', () => {
    const { rooms } = layoutFor(4, { width: 856, height: 616 });
    const [a, b, c, d] = rooms;
    expect(a?.y).toBe(b?.y);
    expect(c?.y).toBe(d?.y);
    expect(a?.x).toBe(d?.x);
    expect(b?.x).toBe(c?.x);
  });

  it('puts two side by side where there is room and one above the other on a phone', () => {
    expect(layoutFor(2, { width: 1100, height: 616 }).arrangement).toBe('row');
    expect(layoutFor(2, { width: 390, height: 620 }).rooms.map((r) => r.x)).toHaveLength(2);
  });
});

describe('routeLinks', () => {
  const samples = (path: readonly { x: number; y: number }[]) =>
    path.slice(1).flatMap((b, i) => {
      const a = path[i] ?? b;
      return Array.from({ length: 40 }, (_, k) => ({
        x: a.x + ((b.x - a.x) * (k + 0.5)) / 40,
        y: a.y + ((b.y - a.y) * (k + 0.5)) / 40,
      }));
    });

  it.each(DEVICES.slice(1))('%i devices: no road of a ring or a star runs through a room', (devices) => {
    for (const size of SIZES) {
      const layout = layoutFor(devices, size);
      for (const links of [ring(devices), star(devices)]) {
        const routes = routeLinks(layout, links);
        expect(routes).toHaveLength(links.length);
        const points = routes.flatMap(({ path }) => samples(path));
        const hit = points.find((p) =>
          layout.rooms.some((r) => p.x > r.x + 1 && p.x < right(r) - 1 && p.y > r.y + 1 && p.y < bottom(r) - 1),
        );
        expect(hit).toBeUndefined();
      }
    }
  });

  it('gives the two directions of a road a side each', () => {
    const layout = layoutFor(2, { width: 856, height: 616 });
    const [there, back] = routeLinks(layout, star(2));
    expect(there?.path[0]?.y).not.toBe(back?.path[0]?.y);
  });
});
