/**
 * Owns the player of a run's current training. A new training gets a new player; events of a replaced player, or of a
 * player whose training has failed, are ignored. Also finds and explains a loss that is not finite. One per open run;
 * it passes failures on and decides nothing about them.
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
  /** Called when a loss is not finite: the run stops, whatever the user wanted. */
  readonly onStop: () => void;
  readonly onFailure: (training: Training, error: unknown) => void;
}

export interface CurrentPlayer {
  readonly now: Player;
  /** Makes a player for the training; `checkpoint`: from which the training was restored, if any. */
  take(training: Training, checkpoint: Checkpoint | undefined): void;
  /** Ignores the current player's events from now on. */
  silence(): void;
}

export function createCurrentPlayer({ blueprint, reports, onStop, onFailure }: CurrentPlayerOptions): CurrentPlayer {
  let current: Player | undefined;
  /** Undefined: the current player is ignored. */
  let heard: Player | undefined;
  const keep = keepOutside(blueprint, (kept) => reports.emit({ type: 'kept', kept }));

  const explainNotFinite = async (training: Training, microBatch: number, checkpoint: Checkpoint | undefined) => {
    onStop();
    const { describeNotFinite, findNotFinite } = await loadPart(
      'The search for the first value that is not finite',
      () => import('../training/find-not-finite'),
    );
    const found = await findNotFinite(training, microBatch, checkpoint);
    // The search went back to a checkpoint and replayed up to the bad micro-batch.
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
