/** What a figure gives to be saved: how it is drawn, at which size, and what is said below it. */
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import type { App } from '../state/app-state';

export interface FigurePicture extends Size {
  /** Draws from the top left corner, on nothing. */
  readonly paint: (ink: Ink) => void;
  /** A sentence, given what runs in words; absent: what happens in the moment that is shown. */
  readonly caption?: (run: string) => string;
}

export interface SavedFigure {
  /** The figure as it is now; undefined while there is nothing to see. Fetches what it is drawn by, where it must. */
  readonly picture: (app: App) => Promise<FigurePicture | undefined>;
  /** The numbers of a plot as a table. */
  readonly csv?: (app: App) => string;
}
