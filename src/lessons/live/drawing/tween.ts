/**
 * From one drawing to the next: elements with the same `data-key` move to their new place, the others appear at once.
 * Readers who want less motion see the new drawing at once.
 */

const MOVE_MS = 420;
const NUMBERS = ['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'opacity'] as const;

export interface Tween {
  show(svg: string, moves: boolean): void;
}

const keyed = (place: HTMLElement): ReadonlyMap<string, SVGElement> =>
  new Map([...place.querySelectorAll<SVGElement>('[data-key]')].map((own) => [own.dataset['key'] ?? '', own]));

interface Moving {
  readonly element: SVGElement;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export function createTween(page: Window, place: HTMLElement): Tween {
  let frame = 0;
  return {
    show(svg, moves) {
      page.cancelAnimationFrame(frame);
      const before = new Map([...keyed(place)].map(([key, own]) => [key, placesOf(own)]));
      place.innerHTML = svg;
      if (!moves || page.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
      const moving = [...keyed(place)].flatMap(([key, element]) => movesOf(element, before.get(key)));
      const began = page.performance.now();
      const step = (now: number) => {
        const share = Math.min(1, Math.max(0, (now - began) / MOVE_MS));
        const eased = 1 - (1 - share) ** 3;
        for (const { element, name, from, to } of moving)
          element.setAttribute(name, String(from + (to - from) * eased));
        if (share < 1) frame = page.requestAnimationFrame(step);
      };
      step(began);
    },
  };
}

const placesOf = (element: SVGElement): ReadonlyMap<string, number> =>
  new Map(
    NUMBERS.flatMap((name) => {
      const value = element.getAttribute(name);
      return value === null ? [] : [[name, Number(value)] as const];
    }),
  );

function movesOf(element: SVGElement, before: ReadonlyMap<string, number> | undefined): readonly Moving[] {
  if (!before) return [];
  return [...placesOf(element)].flatMap(([name, to]) => {
    const from = before.get(name);
    return from === undefined || from === to ? [] : [{ element, name, from, to }];
  });
}
