/**
 * A complaint of check-schedule.ts about a schedule that cannot run, for messages and for the editor, which marks the
 * cells.
 */
import type { PipelineAction } from '../protocol/pipeline';
import type { ScheduleCell } from './cell';
import type { Blocked } from './execution';

export type ComplaintKind =
  | 'size' // lists that do not fit the numbers of ranks and stages
  | 'range' // a stage or micro-batch that is not there
  | 'rank' // an action on a rank that does not have its stage
  | 'twice' // the same action again
  | 'both' // a backward that is whole and split
  | 'missing' // an action that nobody runs
  | 'pair' // two actions that cannot be paired
  | 'order' // before what it needs, on one rank
  | 'deadlock' // ranks that wait for one another in a circle
  | 'more'; // how many complaints there are beyond those listed

export interface Complaint {
  readonly rank: number;
  /** Index of the cell in the rank's order, from 0; undefined if a cell is missing. */
  readonly index: number | undefined;
  readonly cell: ScheduleCell | undefined;
  readonly kind: ComplaintKind;
  /** A sentence without a full stop that names ranks and actions. */
  readonly message: string;
  /** The action that is missing or too late. */
  readonly missing?: PipelineAction;
  /** For a deadlock: every rank of the circle, its position and the action that it waits for. */
  readonly circle?: readonly Blocked[];
}

export const MOST_COMPLAINTS = 20;

/** Keeps the first complaints and only counts the others. */
export class ComplaintList {
  private readonly kept: Complaint[] = [];
  private leftOut = 0;

  add(complaint: () => Complaint): void {
    if (this.kept.length < MOST_COMPLAINTS) this.kept.push(complaint());
    else this.leftOut++;
  }

  all(): readonly Complaint[] {
    if (this.leftOut === 0) return this.kept;
    const message = `and ${this.leftOut.toLocaleString('en')} more`;
    return [...this.kept, { rank: 0, index: undefined, cell: undefined, kind: 'more', message }];
  }
}
