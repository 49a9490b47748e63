/** The contents of a tooltip on a canvas. Types only. */
import type { HeatCells } from './heat-map';

export interface Tip {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Values to print in full, row after row. */
  readonly cells?: HeatCells;
  readonly note?: string;
}
