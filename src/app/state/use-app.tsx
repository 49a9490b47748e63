/**
 * The store in React. `useApp(selector)` re-renders only when the selected value changes; canvases take the store
 * itself (`useAppStore`) and read it in their draw function.
 */
import { createContext, type ReactNode, use } from 'react';
import { useStore } from 'zustand';
import { must } from '../../base/invariant';
import { useThrottled } from '../draw/use-throttled';
import type { App } from './app-state';
import type { AppStore } from './store';
import { readSlice, type StateSlice } from './store-slice';

const StoreContext = createContext<AppStore | undefined>(undefined);

export function StoreProvider({ store, children }: { store: AppStore; children: ReactNode }) {
  return <StoreContext value={store}>{children}</StoreContext>;
}

export const useAppStore = (): AppStore => must(use(StoreContext), 'AppProvider above this component');

export function useApp<T>(selector: (app: App) => T): T {
  return useStore(useAppStore(), selector);
}

/**
 * Like useApp, for values that change with every event: re-renders at most every `everyMs`, and always on the last
 * change. A selector may return a tuple, whose items belong to the same moment; it counts as changed when any item has.
 */
export function useSettled<T>(selector: (app: App) => T, everyMs: number): T {
  const store = useAppStore();
  return useThrottled(store.subscribe, () => selector(store.getState()), everyMs);
}

export const useSlice = <S,>(slice: StateSlice<S>): S => useApp((app) => readSlice(app, slice));
