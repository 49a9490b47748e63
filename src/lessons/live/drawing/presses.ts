/**
 * Parts of a picture that can be pressed (drawing/svg.ts: pressable): by a click, by Enter or Space, and by a pointer
 * that is held down and passes over them, as a brush does. Arrow keys go to the next and the previous part.
 */
import type { OnTurn } from './knobs';

const PART = '[data-press]';

const partOf = (target: EventTarget | null): SVGElement | undefined =>
  (target instanceof Element && target.closest<SVGElement>(PART)) || undefined;

export function openPresses(place: HTMLElement, onTurn: OnTurn): void {
  const press = ({ dataset: { set, to } }: SVGElement) => {
    if (set !== undefined && to !== undefined) onTurn(set, to);
  };
  place.addEventListener('click', ({ target, detail }) => {
    const part = partOf(target);
    // With a brush, pointerdown has already painted this part; assistive technology clicks without a pointer.
    if (part && (part.dataset['paints'] === undefined || detail === 0)) press(part);
  });
  place.addEventListener('pointerdown', (event) => {
    const part = partOf(event.target);
    if (part?.dataset['paints'] === undefined || event.button !== 0) return;
    event.preventDefault();
    part.focus();
    press(part);
  });
  place.addEventListener('pointerover', ({ target, buttons }) => {
    const part = partOf(target);
    if (part?.dataset['paints'] !== undefined && buttons === 1) press(part);
  });
  place.addEventListener('keydown', (event) => {
    const part = partOf(event.target);
    if (!part) return;
    if (event.key === 'Enter' || event.key === ' ') press(part);
    else if (event.key === 'ArrowRight') beside(place, part, 1)?.focus();
    else if (event.key === 'ArrowLeft') beside(place, part, -1)?.focus();
    else return;
    event.preventDefault();
  });
}

function beside(place: HTMLElement, part: SVGElement, by: 1 | -1): SVGElement | undefined {
  const all = [...place.querySelectorAll<SVGElement>(PART)];
  return all[all.indexOf(part) + by];
}

/** Redraws the drawing as a whole and gives the focus back to the part that had it. */
export function keepFocus(place: HTMLElement, draw: () => void): void {
  const had = partOf(place.ownerDocument.activeElement)?.dataset['press'];
  draw();
  if (had === undefined) return;
  const parts = [...place.querySelectorAll<SVGElement>(PART)];
  parts.find(({ dataset }) => dataset['press'] === had)?.focus();
}
