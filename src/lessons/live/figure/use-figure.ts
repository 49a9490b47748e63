/** Hooks for the figure that a component belongs to, and for its state. */
import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { must } from '../../../base/invariant';
import type { FigureRun, FigureState } from './figure-face';

export const FigureContext = createContext<FigureRun | undefined>(undefined);

export const useFigure = (): FigureRun => must(use(FigureContext), 'a figure above this component');

export const useFigureState = <T>(selector: (state: FigureState) => T): T => useStore(useFigure().state, selector);
