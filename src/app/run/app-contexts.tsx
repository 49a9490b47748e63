/**
 * Passes the objects that main.tsx builds to the components in contexts, each of which belongs to the room of its hook:
 * the store (state/use-app), frames and colours (draw/canvas-context), the controller (run/use-controller), the address
 * bar and the linked views (address/use-address). This component provides them together.
 */
import { type ReactNode, useLayoutEffect, useMemo, useState } from 'react';
import type { LinkedViews } from '../address/linked-views';
import type { UrlSync } from '../address/url-sync';
import { AddressProvider } from '../address/use-address';
import { DrawingProvider } from '../draw/canvas-context';
import type { Frames } from '../draw/frames';
import { type Palette, readPalette, resolveTheme } from '../draw/theme';
import { useMedia } from '../draw/use-media';
import type { AppStore } from '../state/store';
import { StoreProvider, useApp } from '../state/use-app';
import type { Controller } from './controller';
import { ControllerProvider } from './use-controller';

export interface AppServices {
  readonly store: AppStore;
  readonly frames: Frames;
  readonly controller: Controller;
  readonly urlSync: UrlSync;
  readonly linked: LinkedViews;
}

interface ContextsProps {
  readonly services: AppServices;
  readonly palette: Palette;
  readonly children: ReactNode;
}

/** The contexts that components read, without a document with a theme; used by tests that draw. */
export function AppContexts({ services, palette, children }: ContextsProps) {
  const { store, frames, controller, urlSync, linked } = services;
  const drawing = useMemo(() => ({ palette, frames, changed: store.subscribe }), [palette, frames, store]);
  const address = useMemo(() => ({ urlSync, linked }), [urlSync, linked]);
  return (
    <StoreProvider store={store}>
      <DrawingProvider drawing={drawing}>
        <ControllerProvider controller={controller}>
          <AddressProvider address={address}>{children}</AddressProvider>
        </ControllerProvider>
      </DrawingProvider>
    </StoreProvider>
  );
}

/** The same, with the colours of the theme that the user has chosen: a new palette at each change of theme. */
export function AppProvider({ services, children }: { services: AppServices; children: ReactNode }) {
  return (
    <StoreProvider store={services.store}>
      <WithPalette services={services}>{children}</WithPalette>
    </StoreProvider>
  );
}

function WithPalette({ services, children }: { services: AppServices; children: ReactNode }) {
  const theme = useApp((app) => app.theme);
  const shown = resolveTheme(theme, useMedia('(prefers-color-scheme: dark)'));
  const [palette, setPalette] = useState<Palette>();
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = shown;
    setPalette(readPalette(document.documentElement));
  }, [shown]);
  return palette && <AppContexts {...{ services, palette }}>{children}</AppContexts>;
}
