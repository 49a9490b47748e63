/**
 * The thin React binding of what main.tsx builds: the store, the frame scheduler and the controller travel in one
 * context. `useApp(selector)` re-renders only when the selected value changes. Canvases take the store itself
 * (`useAppStore`), the scheduler (`useFrames`) and the colours (`usePalette`), and read the store in their draw
 * function.
 */
import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { must } from '../../base/invariant';
import type { LinkedViews } from '../permalink/linked-views';
import type { UrlSync } from '../permalink/url-sync';
import { type Palette, readPalette, resolveTheme } from '../shell/theme';
import type { Frames } from '../transport/frames';
import type { App } from './app-state';
import type { Controller } from './controller';
import type { AppStore } from './store';

export interface AppServices {
  readonly store: AppStore;
  readonly frames: Frames;
  readonly controller: Controller;
  readonly urlSync: UrlSync;
  readonly linked: LinkedViews;
}

const ServicesContext = createContext<AppServices | undefined>(undefined);
const PaletteContext = createContext<Palette | undefined>(undefined);

const useServices = () => must(use(ServicesContext), 'AppProvider above this component');
export const useAppStore = (): AppStore => useServices().store;
export const useFrames = (): Frames => useServices().frames;
export const useController = (): Controller => useServices().controller;

export const useUrlSync = (): UrlSync => useServices().urlSync;
export const useLinkedViews = (): LinkedViews => useServices().linked;

/** The colours of the theme that is shown; a new object at each change of theme. */
export const usePalette = (): Palette => must(use(PaletteContext), 'AppProvider above this component');

export function useApp<T>(selector: (app: App) => T): T {
  return useStore(useAppStore(), selector);
}

const same = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) ||
  (Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((item, index) => Object.is(item, b[index])));

/**
 * As useApp, for what changes with every event: re-renders at most every `everyMs`, and always on the last change. A
 * selector may return a tuple; its items are of one moment, and it counts as changed when one of them has.
 */
export function useSettled<T>(selector: (app: App) => T, everyMs: number): T {
  const store = useAppStore();
  return useThrottled(store.subscribe, () => selector(store.getState()), everyMs);
}

/** Calls the listener after each change; what it returns ends that. */
export type Subscribe = (listener: () => void) => () => void;

/** What `read` gives, read again after a change: at most every `everyMs`, and always after the last one. */
export function useThrottled<T>(subscribe: Subscribe, read: () => T, everyMs: number): T {
  const [value, setValue] = useState(read);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastRead = Number.NEGATIVE_INFINITY;
    const readAgain = () => {
      timer = undefined;
      lastRead = performance.now();
      const next = latest.current();
      setValue((old) => (same(old, next) ? old : next));
    };
    const stop = subscribe(() => {
      timer ??= setTimeout(readAgain, Math.max(0, everyMs - (performance.now() - lastRead)));
    });
    readAgain();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [subscribe, everyMs]);
  return value;
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setMatches(media.matches);
    update();
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [query]);
  return matches;
}

function PaletteProvider({ children }: { children: ReactNode }) {
  const theme = useApp((app) => app.theme);
  const shown = resolveTheme(theme, useMedia('(prefers-color-scheme: dark)'));
  const [palette, setPalette] = useState<Palette>();
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = shown;
    setPalette(readPalette(document.documentElement));
  }, [shown]);
  return palette && <PaletteContext value={palette}>{children}</PaletteContext>;
}

interface ContextsProps {
  readonly services: AppServices;
  readonly palette: Palette;
  readonly children: ReactNode;
}

/** What components read, without a document that has a theme: tests draw with it. */
export function AppContexts({ services, palette, children }: ContextsProps) {
  return (
    <ServicesContext value={services}>
      <PaletteContext value={palette}>{children}</PaletteContext>
    </ServicesContext>
  );
}

export function AppProvider({ services, children }: { services: AppServices; children: ReactNode }) {
  return (
    <ServicesContext value={services}>
      <PaletteProvider>{children}</PaletteProvider>
    </ServicesContext>
  );
}
