/** For tests of drawings: the data of a lesson's drawing, recorded as at build, and what every picture must hold. */
import { expect } from 'vitest';
import { must } from '../../base/invariant';
import { type DrawingKind, type Drawn, settingsOf } from '../drawing/drawing';
import type { Changes, Lesson } from '../lesson';
import { dataOf } from '../record/drawing-data';
import { recordRun } from '../record/record-run';
import { linkOf } from '../run-link';

export interface DrawingUnderTest {
  draw(changes?: Changes, width?: number): Promise<Drawn>;
  value(id: string, changes?: Changes): Promise<number>;
  /** What the kind is given of the runs. */
  readonly data: Promise<unknown>;
}

export function drawingOf(lesson: Lesson, id: string, kind: DrawingKind): DrawingUnderTest {
  const spec = must(Object.entries(lesson.drawings ?? {}).find(([own]) => own === id)?.[1], `the drawing ${id}`);
  const record = async () => {
    const runs = Object.entries(spec.runs ?? {});
    const recorded = await Promise.all(runs.map(async ([name, run]) => [name, await recordRun(linkOf(run))] as const));
    return dataOf(spec.kind, new Map(recorded), spec.about ?? '');
  };
  const data = record();
  const about = spec.about ?? '';
  const draw = async (changes: Changes = {}, width = 900) =>
    kind.draw({ settings: settingsOf(kind, about, { ...spec.start, ...changes }), width, about, data: await data });
  return {
    data,
    draw,
    async value(own, changes) {
      return must(
        (await draw(changes)).values.find((one) => one.id === own),
        `the value ${own}`,
      ).value;
    },
  };
}

/** Every value of every knob gives a picture with finite numbers inside its frame, and each knob changes something. */
export async function holdsForAllKnobs(kind: DrawingKind, { draw }: DrawingUnderTest, about = ''): Promise<void> {
  for (const { key, values } of kind.knobs(about)) {
    const seen = new Set<string>();
    for (const value of values)
      for (const width of [900, 318]) {
        const { svg, says, table } = await draw({ [key]: value }, width);
        expect(`${svg} ${says} ${JSON.stringify(table ?? [])}`, `${key} ${value}`).not.toMatch(
          /NaN|Infinity|undefined/,
        );
        expect(says.length).toBeGreaterThan(20);
        for (const [, x = ''] of svg.matchAll(/ (?:x|cx|x1|x2)="([^"]+)"/g)) {
          expect(Number(x), `${key} ${value}, ${width} px`).toBeGreaterThanOrEqual(0);
          expect(Number(x), `${key} ${value}, ${width} px`).toBeLessThanOrEqual(width);
        }
        if (width === 900) seen.add(`${svg} ${says}`);
      }
    expect(seen.size, `pictures of the knob ${key}`).toBe(values.length);
  }
}
