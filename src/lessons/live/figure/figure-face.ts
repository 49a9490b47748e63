/** The interface of a running figure for the page of its lesson: its state, and what the reader can press or set. */
import type { StoreApi } from 'zustand/vanilla';
import type { Frames } from '../../../app/draw/frames';
import type { AppServices } from '../../../app/run/app-contexts';
import type { LabResult } from '../../../protocol/lab';
import type { Facts } from '../../facts/facts';
import type { Changes, FigureSpec, Press } from '../../lesson';
import type { Grant } from '../session/shared-session';

/** A word of the text that the reader points at. */
export interface Lit {
  readonly rank?: number;
  readonly bucket?: number;
}

export interface FigureState {
  readonly changes: Changes;
  readonly pressed: readonly string[];
  /** How many entries of `pressed` are older than the page's last action in the figure; they do not count for tasks. */
  readonly pressedBefore: number;
  /** The stage shows the figure's first moment. */
  readonly there: boolean;
  /** The figure is on its way to a moment with other settings; until then, the store's state belongs to no run. */
  readonly leading: boolean;
  /** Why the figure cannot show its moment; undefined while nothing is wrong. */
  readonly failure: string | undefined;
  readonly lit: Lit | undefined;
  /** The control that a solution is using: a Press, or the key of a setting. */
  readonly used: string | undefined;
  /** The result in a figure of the lab. */
  readonly lab: LabResult | undefined;
  readonly labPlays: boolean;
}

export interface FigureRun {
  readonly id: string;
  readonly spec: FigureSpec;
  readonly services: AppServices;
  readonly state: StoreApi<FigureState>;
  /** Tells the figure that it has the seat, or no longer has it. */
  enter(): void;
  leave(): void;
  /** Each of these resolves when the figure shows the result. */
  press(what: Press): Promise<void>;
  set(changes: Changes): Promise<void>;
  /** Like set(), but the figure then stops, so that the next press happens at exactly this moment. */
  setAtRest(changes: Changes): Promise<void>;
  /** Like set(), but on behalf of the page: it does not count for tasks. */
  show(changes: Changes): Promise<void>;
  toRound(round: number): void;
  /** Resets the figure to its start, stopped. */
  begin(): Promise<void>;
  retry(): void;
  facts(): Facts;
  /** Address of the playground in exactly this state. */
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
