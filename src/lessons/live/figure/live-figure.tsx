/**
 * Makes a static figure live: builds its run, draws it invisibly, and replaces the picture when it shows the moment of
 * its link. Updates what the rest of the page shows of the figure: values in the text, the link to the playground, the
 * figure's own attributes. Loaded when the first figure comes near the window (page/figures.ts).
 */
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from 'react-error-boundary';
import { createFrames } from '../../../app/draw/frames';
import { AppProvider } from '../../../app/run/app-contexts';
import { startSession } from '../../../app/run/session-client';
import type { Facts } from '../../facts/facts';
import type { FigureSpec } from '../../lesson';
import { sayFailed, takeBack } from '../page/say-failed';
import { createSharedSession, type SharedSession } from '../session/shared-session';
import type { FigureRun, Lit } from './figure-face';
import { openFigureRun } from './figure-run';
import { FigureView } from './figure-view';
import { type Heights, measure } from './heights';
import { openLabRun } from './lab-run';
import styles from './live-figure.module.css';
import { createPageLead, type PageLead } from './page-lead';
import { isLab } from './settings';
import { settled } from './settled';
import { FigureContext } from './use-figure';
import { showValues } from './values';

/** The objects that all figures of a page share. */
export interface Engine {
  readonly shared: SharedSession;
  readonly frames: ReturnType<typeof createFrames>;
  readonly reducedMotion: () => boolean;
}

export function createEngine(): Engine {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)');
  const shared = createSharedSession(startSession);
  shared.warm();
  return {
    shared,
    frames: createFrames((callback) => requestAnimationFrame(callback)),
    reducedMotion: () => reduced.matches,
  };
}

export interface LiveFigure {
  readonly element: HTMLElement;
  enter(): void;
  leave(): void;
  /** The page's actions in the figure: solutions and answers. */
  readonly lead: PageLead;
  facts(): Facts;
  /** Calls the listener after changes, but not for each of many quick changes. */
  onChange(listener: () => void): void;
  light(lit: Lit | undefined): void;
  /** Tells which thing in the figure the reader points at. */
  onPointed(listener: (lit: Lit | undefined) => void): void;
}

export interface LiveFigureOptions {
  readonly figure: HTMLElement;
  readonly spec: FigureSpec;
  readonly engine: Engine;
  /** Called when the reader does something in the figure. */
  readonly onUse: () => void;
}

const CHANGE_MS = 120;
const SHOW_MS = 450;

export function openLiveFigure({ figure, spec, engine, onUse }: LiveFigureOptions): LiveFigure {
  const open = figure.querySelector<HTMLAnchorElement>('.figure-open');
  const playground = open?.getAttribute('href')?.replace(/#.*$/, '') ?? '../';
  const run = (isLab(spec) ? openLabRun : openFigureRun)({
    id: figure.dataset['figure'] ?? '',
    spec,
    playground,
    grant: engine.shared.grant(),
    frames: engine.frames,
    reducedMotion: engine.reducedMotion,
  });
  const place = takePlace(figure, run);
  const { store } = run.services;
  for (const kind of ['pointerdown', 'keydown', 'input'] as const) figure.addEventListener(kind, onUse, true);
  const lead = createPageLead(run, engine.reducedMotion);
  // Looking at the figure, or reaching it by Tab, does not claim the seat; a pressed button (click) or a moved slider
  // (input) does.
  for (const kind of ['click', 'input'] as const)
    figure.addEventListener(kind, ({ target }) => {
      if (target instanceof Element && target.closest('[data-press], [data-setting]')) lead.stop();
    });

  const listeners: (() => void)[] = [];
  const changed = settled(CHANGE_MS, () => {
    figure.dataset['live'] = standing(run);
    figure.dataset['at'] = whereOf(run);
    const { there, leading } = run.state.getState();
    if (!there || leading) return;
    place.show();
    showValues(figure, run.facts());
    for (const listener of listeners) listener();
    link();
  });
  const writeLink = () => open?.setAttribute('href', run.href());
  const link = settled(SHOW_MS, writeLink);
  for (const kind of ['pointerenter', 'focus', 'pointerdown'] as const) open?.addEventListener(kind, writeLink);
  store.subscribe(changed);
  run.state.subscribe(changed);
  changed();

  return {
    element: figure,
    enter: run.enter,
    leave: run.leave,
    lead,
    facts: run.facts,
    onChange: (listener) => void listeners.push(listener),
    light(lit) {
      run.state.setState({ lit });
      store.getState().hoverBucket(lit?.bucket);
    },
    onPointed(listener) {
      store.subscribe(({ hovered, hoveredBucket, cursor, traces }, before) => {
        if (hovered === before.hovered && hoveredBucket === before.hoveredBucket) return;
        const event = hovered === undefined || !cursor ? undefined : traces[cursor.trace]?.events[hovered];
        const bucket = hoveredBucket ?? event?.bucket;
        listener({ ...(event ? { rank: event.device } : {}), ...(bucket === undefined ? {} : { bucket }) });
      });
    },
  };
}

function standing({ state, services: { store } }: FigureRun): 'failed' | 'starting' | 'playing' | 'rest' {
  const { failure, there, labPlays } = state.getState();
  if (failure !== undefined) return 'failed';
  if (!there) return 'starting';
  return labPlays || store.getState().state === 'playing' ? 'playing' : 'rest';
}

/** The micro-batch and the event at the cursor; for the lab, the round. */
function whereOf({ services: { store } }: FigureRun): string {
  const { lab, cursor, traces } = store.getState();
  if (lab) return `${lab.round}`;
  const trace = cursor && traces[cursor.trace];
  return trace ? `${trace.microBatch}:${cursor.event}` : '';
}

interface Placed {
  show(): void;
}

/** Puts the live figure beside the picture: invisible until it is ready; if it fails, the picture comes back. */
function takePlace(figure: HTMLElement, run: FigureRun): Placed {
  const still = figure.querySelector<HTMLElement>('.figure-static');
  if (!still) throw new Error('The figure has no picture to take the place of.');
  const host = document.createElement('div');
  host.className = `figure-live ${styles['host']}`;
  host.inert = true;
  figure.classList.add(styles['figure'] ?? '');
  figure.insertBefore(host, still);
  const root = createRoot(host);
  let measured = measure(still, run.spec.show);
  let shown = false;
  const draw = (heights: Heights) =>
    root.render(
      <ErrorBoundary fallback={null} onError={fail}>
        <AppProvider services={run.services}>
          <FigureContext value={run}>
            <FigureView heights={heights} />
          </FigureContext>
        </AppProvider>
      </ErrorBoundary>,
    );
  const back = () => {
    shown = false;
    still.hidden = false;
    host.inert = true;
    delete host.dataset['shown'];
  };
  const fail = (error: unknown) => {
    run.state.setState({ there: false, failure: error instanceof Error ? error.message : String(error) });
  };
  run.state.subscribe(({ failure }, before) => {
    if (failure === before.failure) return;
    takeBack(figure);
    if (failure === undefined) return;
    back();
    sayFailed(figure, failure, run.retry);
  });
  const remeasure = settled(SHOW_MS, () => {
    measured = measure(still, run.spec.show);
    if (shown) host.style.minHeight = `${measured.whole}px`;
    draw(measured.views);
  });
  let { clientWidth } = figure;
  new ResizeObserver(() => {
    if (figure.clientWidth === clientWidth) return;
    ({ clientWidth } = figure);
    remeasure();
  }).observe(figure);
  draw(measured.views);
  return {
    show() {
      if (shown) return;
      shown = true;
      host.inert = false;
      host.style.minHeight = `${measured.whole}px`;
      host.dataset['shown'] = '';
      still.hidden = true;
    },
  };
}
