/**
 * The parts of a lesson besides its text: figures, drawings, predictions and tasks. Each lesson has one such table
 * (learn/NAME/lesson.ts) beside its MDX file. Types, and the function that keeps their names.
 */
import type { KindName } from './drawing/kind-names';
import type { Facts } from './facts/facts';
import type { QuantityId } from './facts/quantities';

/**
 * What a figure shows, each a component of the playground; `lab`: one collective, round by round; `schedule`: the
 * computations of a pipeline's ranks over time; `editor`: a schedule that the reader can change and run; `curve`:
 * memory of a rank over the step, for runs in shards; `range`: the gradients of each layer beside the range of float16;
 * `scale`: the scale of a GradScaler over the steps.
 */
export type View =
  | 'stage'
  | 'timeline'
  | 'schedule'
  | 'editor'
  | 'loss'
  | 'field'
  | 'memory'
  | 'curve'
  | 'range'
  | 'scale'
  | 'buckets'
  | 'devices'
  | 'lab';

/** A button of the figure. `kill`: ends the last rank. */
export type Press = 'play' | 'moment' | 'round' | 'phase' | 'iteration' | 'reset' | 'kill';

/** A setting that the reader may change: a key of the permalink, and the values it may have. */
export interface SettingControl {
  /** A key of the playground's address, `bucket`; in a figure of the lab, a field of the lab's settings: `ranks`. */
  readonly key: string;
  /** The control's label, in a word or two. */
  readonly label: string;
  /** The values as the address writes them; more than three make a slider. */
  readonly values: readonly string[];
  /** Words that the control shows in place of the values. */
  readonly words?: readonly string[];
}

export type Control = Press | SettingControl;

/** Settings by the keys of the permalink, as the permalink writes them: `{ world: '8' }`. */
export type Changes = Readonly<Record<string, string>>;

export interface FigureSpec {
  /** The run and where in it the figure begins, as a link of the playground without '#': `mode=ddp&world=4&at=2`. */
  readonly run: string;
  readonly show: readonly View[];
  /** At most three settings, besides the buttons. */
  readonly controls: readonly Control[];
  /** The text below the picture: describes it in a sentence or two without numbers. */
  readonly caption: string;
  /** Rows of the table of numbers below the figure. */
  readonly numbers: readonly ValueOf[];
  /**
   * What the figure does when it comes into view. walk: it plays the step slowly, moment by moment; train: it trains at
   * the `speed` in the link, by default at full speed; rest: it does nothing until the reader presses a button. For
   * readers who have asked their system for less motion, every figure rests; so `controls` of a figure that starts has
   * 'play'.
   */
  readonly starts: 'walk' | 'train' | 'rest';
  /** Height of the stage, in CSS pixels; left out: the number of devices decides. */
  readonly height?: number;
}

/** A quantity, with an argument behind a colon where it takes one: `bytesPerRank`, `peakMemory:0`. */
export type ValueOf = QuantityId | `${QuantityId}:${string}`;

/** A quantity of a figure's run, or of that run with other settings. */
export interface AskedValue {
  readonly figure: string;
  readonly of: ValueOf;
  readonly with?: Changes;
}

/** A number or a choice for the reader to guess before the run shows the answer. */
export interface Prediction {
  readonly question: string;
  readonly answer: AskedValue;
  /**
   * A number on a slider, in the units of the quantity; or one of several choices, where the run decides which is
   * right.
   */
  readonly guess:
    | { readonly kind: 'number'; readonly from: number; readonly to: number; readonly step: number }
    | { readonly kind: 'choice'; readonly choices: readonly { readonly text: string; readonly right: RightIf }[] };
  /** The explanation shown after the guess. May contain quantities of the answer's run: `{bytesPerRank}`. */
  readonly why: string;
  /** A plot of the answer over a setting, with the guess in it. */
  readonly plot?: Plot;
}

/** Whether the run makes this choice the right one. */
export type RightIf = (answer: number, facts: Facts) => boolean;

/** A plot of a quantity over the values of one setting, with a run for each value. */
export interface Plot {
  readonly figure: string;
  readonly of: ValueOf;
  readonly over: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Further lines: the same quantity with other settings. */
  readonly beside?: readonly { readonly label: string; readonly with: Changes }[];
}

/** An action of a solution, as the reader would do it in the figure. */
export type Action =
  | { readonly set: Changes }
  | { readonly press: Press }
  /** Waits until the task is done, if that takes some steps of training. */
  | 'wait';

/** Something to do in a figure; the state of the figure's run decides when it is done. */
export interface Task {
  readonly figure: string;
  /** What to do, in a sentence. */
  readonly text: string;
  readonly hint: string;
  readonly done: (facts: Facts) => boolean;
  readonly solution: readonly Action[];
}

/** A picture with knobs that does not run the engine (drawing/drawing.ts). */
export interface DrawingSpec {
  readonly kind: KindName;
  /** Which drawing of the kind, if the kind has several. */
  readonly about?: string;
  /** Start values of knobs that differ from the kind's defaults. */
  readonly start?: Changes;
  /** The text below the picture, in a sentence or two without numbers. */
  readonly caption: string;
  /** The runs on which the picture is based, as links of the playground by name; recorded at build. */
  readonly runs?: Readonly<Record<string, string>>;
}

/** A figure and one of its views. */
export interface CardView {
  readonly figure: string;
  readonly view: 'stage' | 'timeline' | 'loss';
}

export interface Lesson {
  /** The figure that the lesson's card shows and runs; set if the first figure would look like other cards. */
  readonly card?: CardView;
  readonly figures: Readonly<Record<string, FigureSpec>>;
  readonly predictions: Readonly<Record<string, Prediction>>;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly plots?: Readonly<Record<string, Plot>>;
  readonly drawings?: Readonly<Record<string, DrawingSpec>>;
}

export const defineLesson = (lesson: Lesson): Lesson => lesson;
