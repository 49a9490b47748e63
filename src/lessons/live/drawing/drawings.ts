/**
 * Makes the drawings of a page live: turning a knob updates the picture, its sentence, its table and the values in the
 * text. The page fetches a drawing's code when the drawing is near the window.
 */

import { must } from '../../../base/invariant';
import { type DrawingKind, settingsOf } from '../../drawing/drawing';
import { loadKind } from '../../drawing/kinds';
import { write } from '../../facts/write';
import type { Changes } from '../../lesson';
import { type OnTurn, openKnobs } from './knobs';
import { writeTable } from './numbers';
import { keepFocus, openPresses } from './presses';
import { createTween } from './tween';

const NEAR = '600px';

export function openDrawings(page: Window): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        openDrawing(page, target as HTMLElement).catch(() => near.observe(target));
      }
    },
    { rootMargin: NEAR },
  );
  for (const figure of page.document.querySelectorAll('figure[data-drawing]')) near.observe(figure);
}

interface Recorded {
  readonly start: Changes;
  readonly data?: unknown;
}

function recordedIn(figure: HTMLElement): Recorded {
  const text = figure.querySelector('script[type="application/json"]')?.textContent;
  return text ? (JSON.parse(text) as Recorded) : { start: {} };
}

async function openDrawing(page: Window, figure: HTMLElement): Promise<void> {
  const { drawing = '', kind: name = '', about = '' } = figure.dataset;
  const kind: DrawingKind = await loadKind(name);
  const { start, data } = recordedIn(figure);
  const place = must(figure.querySelector<HTMLElement>('.drawing-picture'), 'a place for the picture');
  figure.querySelector('.drawing-picture[data-shape="narrow"]')?.remove();
  const says = must(figure.querySelector<HTMLElement>('.drawing-says'), 'a place for the sentence');
  const tween = createTween(page, place);
  let settings = settingsOf(kind, about, start);
  let drawnWidth = 0;
  const draw = (isTurned: boolean): void => {
    const width = Math.round(place.getBoundingClientRect().width);
    if (width === 0) return;
    drawnWidth = width;
    const drawn = kind.draw({ settings, width, about, data, isLive: true });
    keepFocus(place, () => tween.show(drawn.svg, isTurned));
    if (says.textContent !== drawn.says) says.textContent = drawn.says;
    writeTable(figure, drawn);
    for (const value of page.document.querySelectorAll<HTMLElement>(`.value[data-drawing="${drawing}"]`)) {
      const found = value.dataset['with'] === undefined && drawn.values.find(({ id }) => id === value.dataset['value']);
      if (found) value.textContent = write(found.value, found.format);
    }
  };
  const turn: OnTurn = (key, value) => {
    settings = { ...settings, [key]: value };
    draw(true);
  };
  figure.dataset['live'] = 'rest';
  openKnobs(page, figure, turn);
  openPresses(place, turn);
  new ResizeObserver(() => {
    if (Math.round(place.getBoundingClientRect().width) !== drawnWidth) draw(false);
  }).observe(place);
}
