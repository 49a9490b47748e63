/**
 * The figures of a page, static at first: each becomes live when it comes near the window, and runs while it has the
 * seat. Their code is fetched with the first one.
 */
import { loadPart } from '../../../base/load-part';
import type { Lesson } from '../../lesson';
import type { Engine, LiveFigure, openLiveFigure } from '../figure/live-figure';
import { sayFailed } from './say-failed';
import { createSeat, type FigurePlace } from './seat';

/** The distance below the window at which a figure becomes live. */
const NEAR = '600px';
/** Scrolling past a figure does not start it. */
const REST_MS = 120;

export interface Figures {
  /** Undefined if the figure is not live yet. */
  live(id: string): LiveFigure | undefined;
  /** Makes the figure live. */
  wake(id: string): Promise<LiveFigure>;
  /** Gives the figure the seat as long as it is in view. */
  claim(id: string): void;
  /** Calls the listener for each figure that is live now or later. */
  onLive(listener: (id: string, figure: LiveFigure) => void): void;
}

export interface FiguresOptions {
  readonly page: Window;
  readonly table: () => Promise<Lesson>;
}

export function openFigures({ page, table }: FiguresOptions): Figures {
  const { document } = page;
  const elements = new Map(
    [...document.querySelectorAll<HTMLElement>('figure[data-figure]')].map((element) => [
      element.dataset['figure'] ?? '',
      element,
    ]),
  );
  const live = new Map<string, LiveFigure>();
  const waking = new Map<string, Promise<LiveFigure>>();
  const listeners: ((id: string, figure: LiveFigure) => void)[] = [];
  const fetchEngine = createEngineFetch();

  const seat = createSeat({
    places: () => [...live.keys()].flatMap((id) => placeOf(id, elements.get(id))),
    height: () => (document.visibilityState === 'visible' ? page.innerHeight : 0),
    onChange(holder, before) {
      if (before !== undefined) live.get(before)?.leave();
      if (holder !== undefined) live.get(holder)?.enter();
    },
  });

  const makeLive = async (id: string): Promise<LiveFigure> => {
    const figure = elements.get(id);
    if (!figure) throw new Error(`This page has no figure "${id}".`);
    figure.dataset['live'] = 'starting';
    const [{ openFigure, engine: shared }, lesson] = await Promise.all([fetchEngine(), table()]);
    const spec = new Map(Object.entries(lesson.figures)).get(id);
    if (!spec) throw new Error(`The lesson has no figure "${id}".`);
    const made = openFigure({ figure, spec, engine: shared, onUse: () => seat.claim(id) });
    live.set(id, made);
    for (const listener of listeners) listener(id, made);
    seat.update();
    return made;
  };

  const wake = (id: string): Promise<LiveFigure> => {
    const known = waking.get(id);
    if (known) return known;
    const made = makeLive(id);
    waking.set(id, made);
    made.catch((error: unknown) => {
      waking.delete(id);
      const figure = elements.get(id);
      if (!figure) return;
      figure.dataset['live'] = 'failed';
      sayFailed(figure, wordsOf(error), () => void wake(id).catch(() => undefined));
    });
    return made;
  };

  whenNear(elements.values(), (id) => wake(id).catch(() => undefined));
  followScrolling(page, seat.update);

  return {
    live: (id) => live.get(id),
    wake,
    claim: seat.claim,
    onLive(listener) {
      listeners.push(listener);
      for (const [id, figure] of live) listener(id, figure);
    },
  };
}

/** Fetches the code that draws and runs the figures of the page: once, and again after a failure. */
function createEngineFetch() {
  let engine: Promise<{ readonly openFigure: typeof openLiveFigure; readonly engine: Engine }> | undefined;
  return () => {
    engine ??= loadPart('The figures', async () => {
      const { createEngine, openLiveFigure: openFigure } = await import('../figure/live-figure');
      return { openFigure, engine: createEngine() };
    }).catch((error: unknown) => {
      engine = undefined;
      throw error;
    });
    return engine;
  };
}

/** Calls `onNear` whenever a figure comes near the window. */
function whenNear(figures: Iterable<HTMLElement>, onNear: (id: string) => void): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const id = isIntersecting ? (target as HTMLElement).dataset['figure'] : undefined;
        if (id !== undefined) onNear(id);
      }
    },
    { rootMargin: NEAR },
  );
  for (const figure of figures) near.observe(figure);
}

function placeOf(id: string, element: HTMLElement | undefined): readonly FigurePlace[] {
  if (!element) return [];
  // The figure without its caption and table.
  const shown = element.querySelector('.figure-live[data-shown]') ?? element.querySelector('.figure-static') ?? element;
  const { top, bottom } = shown.getBoundingClientRect();
  return [{ id, top, bottom }];
}

/** Updates when scrolling has stopped, and when the page becomes visible again. */
function followScrolling(page: Window, update: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, REST_MS);
  };
  page.addEventListener('scroll', soon, { passive: true });
  page.addEventListener('resize', soon);
  page.document.addEventListener('visibilitychange', update);
}

function wordsOf(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error ? String(error.hint) : '';
  return `${error instanceof Error ? error.message : String(error)} ${hint}`.trim();
}
