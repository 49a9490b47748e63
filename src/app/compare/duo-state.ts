/** What the one transport of two compared runs holds, and the paces that it can go at. */
import type { Track } from './duo-clock';

export interface DuoPace {
  readonly label: string;
  /** A step that is shown takes so long. */
  readonly seconds: number;
  /** Training runs ahead; only some steps are shown. */
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
  /** Index of the step that both show; undefined before there is one. */
  readonly step: number | undefined;
  readonly tracks: readonly Track[];
  readonly timeUs: number;
  readonly playing: boolean;
  /** What they wait for; '' for nothing. */
  readonly busy: string;
  readonly pace: number;
}

export const START: DuoState = { step: undefined, tracks: [], timeUs: 0, playing: false, busy: '', pace: FIRST_PACE };
