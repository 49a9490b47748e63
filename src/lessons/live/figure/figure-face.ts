/** What a figure that runs is for the page of its lesson: its state, and what the reader may press or set. */
import type { StoreApi } from 'zustand/vanilla';
import type { Frames } from '../../../app/draw/frames';
import type { AppServices } from '../../../app/run/app-contexts';
import type { LabResult } from '../../../protocol/lab';
import type { Facts } from '../../facts/facts';
import type { Changes, FigureSpec, Press } from '../../lesson';
import type { Grant } from '../session/shared-session';

/** A word of the text that is pointed at. */
export interface Lit {
  readonly rank?: number;
  readonly bucket?: number;
}

export interface FigureState {
  readonly changes: Changes;
  readonly pressed: readonly string[];
  /** How many of `pressed` were before the page led the figure somewhere: they do no task. */
  readonly pressedBefore: number;
  /** The moment with which it begins is on its stage. */
  readonly there: boolean;
  /** On the way to a moment with other settings: what the store has meanwhile is of no run. */
  readonly leading: boolean;
  /** Why it is not there; undefined while nothing is wrong. */
  readonly failure: string | undefined;
  readonly lit: Lit | undefined;
  /** The control that a solution uses just now: a Press, or the key of a setting. */
  readonly used: string | undefined;
  /** Of a figure of the lab. */
  readonly lab: LabResult | undefined;
  readonly labPlays: boolean;
}

export interface FigureRun {
  readonly id: string;
  readonly spec: FigureSpec;
  readonly services: AppServices;
  readonly state: StoreApi<FigureState>;
  /** It has the seat, or has it no longer. */
  enter(): void;
  leave(): void;
  /** Each resolves when what it leads to is shown. */
  press(what: Press): Promise<void>;
  set(changes: Changes): Promise<void>;
  /** As set(), and rests there: what comes next is pressed at that very moment. */
  setAtRest(changes: Changes): Promise<void>;
  /** As set(), by the page: no task is done by it. */
  show(changes: Changes): Promise<void>;
  toRound(round: number): void;
  /** As it was at first, and at rest. */
  begin(): Promise<void>;
  retry(): void;
  facts(): Facts;
  /** The playground in exactly this state. */
  href(): string;
  end(): void;
}

export interface FigureRunOptions {
  readonly id: string;
  readonly spec: FigureSpec;
  /** The playground's address, without '#'. */
  readonly playground: string;
  readonly grant: Grant;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
}
