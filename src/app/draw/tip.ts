/** What a tooltip of the canvases says. Types only. */
import type { HeatCells } from './heat-map';

export interface Tip {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Values to print in full, row after row. */
  readonly cells?: HeatCells;
  readonly note?: string;
}
