/** The state of the transport that two compared runs share, and its paces. */
import type { Track } from './duo-clock';

export interface DuoPace {
  readonly label: string;
  /** The duration of a shown step. */
  readonly seconds: number;
  /** Whether training runs ahead, so that only some steps are shown. */
  readonly ahead: boolean;
}

export const PACES: readonly DuoPace[] = [
  { label: '16 s per step', seconds: 16, ahead: false },
  { label: '8 s per step', seconds: 8, ahead: false },
  { label: '2 s per step', seconds: 2, ahead: false },
  { label: 'full speed', seconds: 3, ahead: true },
];
const FIRST_PACE = 1;

export interface DuoState {
  /** Index of the step that both show; undefined before the first. */
  readonly step: number | undefined;
  readonly tracks: readonly Track[];
  readonly timeUs: number;
  readonly playing: boolean;
  /** What the runs wait for; '' for nothing. */
  readonly busy: string;
  readonly pace: number;
}

export const START: DuoState = { step: undefined, tracks: [], timeUs: 0, playing: false, busy: '', pace: FIRST_PACE };
