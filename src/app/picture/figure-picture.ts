/** The parts of a figure to save: how to draw it, its size, and its caption. */
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import type { App } from '../state/app-state';

export interface FigurePicture extends Size {
  /** Draws the figure from the top left corner, without a background. */
  readonly paint: (ink: Ink) => void;
  /** Makes the caption from words for the run; absent: the caption describes the shown moment. */
  readonly caption?: (run: string) => string;
}

export interface SavedFigure {
  /** The figure as it is now; undefined while it is empty. Loads the code that draws it if necessary. */
  readonly picture: (app: App) => Promise<FigurePicture | undefined>;
  /** The numbers of a plot as a table. */
  readonly csv?: (app: App) => string;
}
