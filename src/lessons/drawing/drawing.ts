/**
 * A drawing: a picture with knobs, drawn as SVG by a pure function of its settings, at build and in the browser alike.
 * A drawing does not run the engine, as figures (lesson.ts) do. Its data about runs were recorded when the site was
 * built. Called by page/drawing.tsx, live/drawing/ and the claims of lessons.
 */
import type { Format } from '../facts/write';
import type { Changes, SettingControl } from '../lesson';

export interface DrawnValue {
  /** The name in `<Value of="..." drawing="...">`. */
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly format: Format;
}

export interface Drawn {
  /** An `<svg>` element, as text. Its colours are variables of the theme. */
  readonly svg: string;
  /** Describes the picture in a sentence or two. */
  readonly says: string;
  readonly values: readonly DrawnValue[];
  /** The values in several columns, such as one per model; left out: one column. */
  readonly table?: DrawnTable;
}

export interface DrawnTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface DrawAsked {
  /** The value of each knob, by its key. */
  readonly settings: Changes;
  /** In CSS pixels. */
  readonly width: number;
  /** Which of several drawings of the kind; for at-size, the lesson. */
  readonly about: string;
  /** Recorded at build, or undefined for kinds that record nothing. */
  readonly data: unknown;
  /** True in a page with a script: parts of the picture can be pressed (svg.ts: pressable). */
  readonly isLive?: boolean;
}

/** A knob; `play`: with a button that turns the knob step by step. */
export type Knob = SettingControl & { readonly play?: boolean };

/** One module per kind, loaded when a page has such a drawing. */
export interface DrawingKind {
  readonly knobs: (about: string) => readonly Knob[];
  /** Start values of the knobs, and of the settings that presses on the picture change. */
  readonly start: (about: string) => Changes;
  readonly draw: (asked: DrawAsked) => Drawn;
}

export const settingsOf = (kind: DrawingKind, about: string, changes: Changes = {}): Changes => ({
  ...kind.start(about),
  ...changes,
});
