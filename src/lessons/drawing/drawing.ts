/**
 * A drawing: a picture with knobs, drawn as SVG by a pure function of its settings, at build and in the browser alike.
 * It is no run of the engine: figures (lesson.ts) are. What it knows of runs was recorded when the site was built.
 * Called by page/drawing.tsx, live/drawing/ and the claims of lessons.
 */
import type { Format } from '../facts/write';
import type { Changes, SettingControl } from '../lesson';

export interface DrawnValue {
  /** As `<Value of="..." drawing="...">` asks for it. */
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly format: Format;
}

export interface Drawn {
  /** An `<svg>` element, as text. Its colours are variables of the theme. */
  readonly svg: string;
  /** What is to be seen, in a sentence or two. */
  readonly says: string;
  readonly values: readonly DrawnValue[];
  /** The values in several columns, such as one per model; left out, the table has the values alone. */
  readonly table?: DrawnTable;
}

export interface DrawnTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface DrawAsked {
  /** Of each knob, by its key. */
  readonly settings: Changes;
  /** In CSS pixels. */
  readonly width: number;
  /** Which of several drawings of the kind: of at-size, the quantity that the lesson is about. */
  readonly about: string;
  /** Recorded at build, or undefined for kinds that record nothing. */
  readonly data: unknown;
  /** A script listens: parts of the picture may be pressed (svg.ts: pressable). */
  readonly isLive?: boolean;
}

/** A knob; `play`: a button beside it turns it by itself. */
export type Knob = SettingControl & { readonly play?: boolean };

/** One module per kind, loaded when a page has such a drawing. */
export interface DrawingKind {
  readonly knobs: (about: string) => readonly Knob[];
  /** Of the knobs, and of what parts of the picture change when they are pressed. */
  readonly start: (about: string) => Changes;
  readonly draw: (asked: DrawAsked) => Drawn;
}

export const settingsOf = (kind: DrawingKind, about: string, changes: Changes = {}): Changes => ({
  ...kind.start(about),
  ...changes,
});
