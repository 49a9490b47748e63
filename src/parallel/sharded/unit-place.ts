/** The place of the units that are gathered and reduced. Types only. */
import type { StagePlace } from '../step/place';
import type { Step } from '../step/walk';

export interface UnitPlace extends Pick<Step, 'builder' | 'input'> {
  /** The ranks that have the same part of the stage, if tp cuts its layers. */
  readonly place: StagePlace;
  /** Name for the root's buffers, if a rank has the roots of several stages. */
  readonly rootName?: string;
}
