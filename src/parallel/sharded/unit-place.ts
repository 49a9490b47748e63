/** Whose units are gathered and reduced. Types only. */
import type { StagePlace } from '../step/place';
import type { Step } from '../step/walk';

export interface UnitPlace extends Pick<Step, 'builder' | 'input'> {
  /** Of ranks that have the same part of the stage, if tp cuts its layers. */
  readonly place: StagePlace;
  /** What the buffers of the root are named after, where a rank has the roots of several stages. */
  readonly rootName?: string;
}
