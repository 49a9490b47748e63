/**
 * What a lesson is made of beside its text: figures, drawings, predictions and tasks. Each lesson has one such table
 * (learn/NAME/lesson.ts) beside its MDX file. Types, and the function that keeps their names.
 */
import type { KindName } from './drawing/kind-names';
import type { Facts } from './facts/facts';
import type { QuantityId } from './facts/quantities';

/**
 * What a figure shows, each a component of the playground; `lab`: one collective, round by round; `schedule`: what the
 * ranks of a pipeline compute when; `editor`: the same, to be changed and run; `curve`: memory of a rank over the step,
 * for runs in shards; `range`: the gradients of each layer beside the range of float16; `scale`: the scale of a
 * GradScaler over the steps.
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

/** What the reader may press. `kill`: ends the last rank. */
export type Press = 'play' | 'moment' | 'round' | 'phase' | 'iteration' | 'reset' | 'kill';

/** A setting that the reader may change: a key of the permalink, and the values it may have. */
export interface SettingControl {
  /** As in the address of the playground, `bucket`; of a figure of the lab, a field of its settings: `ranks`. */
  readonly key: string;
  /** On the control, in a word or two. */
  readonly label: string;
  /** In the words of the address; more than three are a slider. */
  readonly values: readonly string[];
  /** What the reader sees in place of the values. */
  readonly words?: readonly string[];
}

export type Control = Press | SettingControl;

/** Settings by the keys of the permalink, in its words: `{ world: '8' }`. */
export type Changes = Readonly<Record<string, string>>;

export interface FigureSpec {
  /** The run and where in it the figure begins, as a link of the playground without '#': `mode=ddp&world=4&at=2`. */
  readonly run: string;
  readonly show: readonly View[];
  /** At most three settings, besides what is pressed. */
  readonly controls: readonly Control[];
  /** Below the picture: what is to be seen, in a sentence or two without numbers. */
  readonly caption: string;
  /** Rows of the table below it, which says the figure in numbers. */
  readonly numbers: readonly ValueOf[];
  /**
   * What happens when the figure comes into view. walk: the step is played slowly, moment by moment; train: at the pace
   * of `speed` in the link, else full speed; rest: nothing moves before the reader presses. For readers who have asked
   * their system for less motion, every figure rests; so `controls` of a figure that starts has 'play'.
   */
  readonly starts: 'walk' | 'train' | 'rest';
  /** Of the stage, in CSS pixels; left out: by the number of devices. */
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

/** A guess before the run says it. */
export interface Prediction {
  readonly question: string;
  readonly answer: AskedValue;
  /** A number on a slider, in the units of the quantity; or one of some choices: the run says which is right. */
  readonly guess:
    | { readonly kind: 'number'; readonly from: number; readonly to: number; readonly step: number }
    | { readonly kind: 'choice'; readonly choices: readonly { readonly text: string; readonly right: RightIf }[] };
  /** After the guess: why. May hold values as `{bytesPerRank}`, which are of the answer's run. */
  readonly why: string;
  /** The answer over a setting, drawn with the guess in it. */
  readonly plot?: Plot;
}

/** Whether a choice is right, decided by the run. */
export type RightIf = (answer: number, facts: Facts) => boolean;

/** A quantity over the values of one setting, each a run. */
export interface Plot {
  readonly figure: string;
  readonly of: ValueOf;
  readonly over: string;
  readonly label: string;
  readonly values: readonly string[];
  /** More lines: the same quantity with other settings. */
  readonly beside?: readonly { readonly label: string; readonly with: Changes }[];
}

/** An action of a solution, as the reader would do it in the figure. */
export type Action =
  | { readonly set: Changes }
  | { readonly press: Press }
  /** Until the task ticks: for what takes some steps of training. */
  | 'wait';

/** Something to do in a figure; it ticks when the state of the figure's run says that it is done. */
export interface Task {
  readonly figure: string;
  /** What to do, in a sentence. */
  readonly text: string;
  readonly hint: string;
  readonly done: (facts: Facts) => boolean;
  readonly solution: readonly Action[];
}

/** A picture with knobs that is no run of the engine (drawing/drawing.ts). */
export interface DrawingSpec {
  readonly kind: KindName;
  /** Which of the drawings of that kind, where it has several. */
  readonly about?: string;
  /** Knobs that do not begin as the kind says. */
  readonly start?: Changes;
  /** Below the picture, in a sentence or two without numbers. */
  readonly caption: string;
  /** Runs that the picture is drawn from, as links of the playground by name; recorded at build. */
  readonly runs?: Readonly<Record<string, string>>;
}

/** A figure, and which of its views. */
export interface CardView {
  readonly figure: string;
  readonly view: 'stage' | 'timeline' | 'loss';
}

export interface Lesson {
  /** Which figure the card of the lesson on the wall shows and runs, where the first would look like other cards. */
  readonly card?: CardView;
  readonly figures: Readonly<Record<string, FigureSpec>>;
  readonly predictions: Readonly<Record<string, Prediction>>;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly plots?: Readonly<Record<string, Plot>>;
  readonly drawings?: Readonly<Record<string, DrawingSpec>>;
}

export const defineLesson = (lesson: Lesson): Lesson => lesson;
