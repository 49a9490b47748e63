/**
 * The player of the training that a run has now. A new training gets a new player; from then on, and while a failed
 * training is being replaced, what an older player still has to say is not heard. A loss that is not finite is searched
 * for and explained here. One per open run; it decides nothing about failures, which it hands on.
 */
import { must } from '../base/invariant';
import { loadPart } from '../base/load-part';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { keepOutside } from '../training/checkpoint/keep-outside';
import { comparisonOf } from '../training/control/comparison';
import type { Training } from '../training/training';
import { createPlayer, type Player } from './player';
import type { Reports } from './reports';

export interface CurrentPlayerOptions {
  readonly blueprint: Blueprint;
  readonly reports: Reports;
  /** A loss is not finite: the run stops, whatever the user wanted. */
  readonly onStop: () => void;
  readonly onFailure: (training: Training, error: unknown) => void;
}

export interface CurrentPlayer {
  readonly now: Player;
  /** A new player; `checkpoint`: what the training was restored from, if anything. */
  take(training: Training, checkpoint: Checkpoint | undefined): void;
  /** The one that plays now is no longer heard. */
  silence(): void;
}

export function createCurrentPlayer({ blueprint, reports, onStop, onFailure }: CurrentPlayerOptions): CurrentPlayer {
  let current: Player | undefined;
  /** Undefined: the current one has been silenced. */
  let heard: Player | undefined;
  const keep = keepOutside(blueprint, (kept) => reports.emit({ type: 'kept', kept }));

  const explainNotFinite = async (training: Training, microBatch: number, checkpoint: Checkpoint | undefined) => {
    onStop();
    const { describeNotFinite, findNotFinite } = await loadPart(
      'The search for the first value that is not finite',
      () => import('../training/find-not-finite'),
    );
    const found = await findNotFinite(training, microBatch, checkpoint);
    // The search has gone back, and come to the micro-batch that broke.
    reports.finished = training.microBatch;
    if (found.trace) reports.emit({ type: 'trace', trace: found.trace });
    reports.notice({
      level: 'error',
      id: 'not-finite',
      text: describeNotFinite(found, blueprint.config),
      hint: 'Training is paused. Lower the learning rate or look for extreme values in the data, then Reset.',
    });
    reports.state('paused', 'not-finite');
  };

  return {
    get now() {
      return must(current, 'a player');
    },
    take(training, checkpoint) {
      const player: Player = createPlayer({
        training,
        snapshots: reports.snapshots,
        checkpoint,
        comparison: comparisonOf(blueprint),
        emit: (event) => heard === player && reports.played(event),
        onCheckpoint: (kept) => heard === player && keep(kept),
        onNotFinite: (microBatch, last) => explainNotFinite(training, microBatch, last),
        onFailure: (error) => onFailure(training, error),
      });
      current = player;
      heard = player;
    },
    silence() {
      heard = undefined;
    },
  };
}
