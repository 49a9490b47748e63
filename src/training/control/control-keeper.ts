/**
 * The control run of an open session, if the page asks for one: opened at the first request, advanced for a slice of
 * time at each request, and freed when no longer needed. Restarts, Reset and lost devices of the run itself do not
 * affect it; if its own device is lost, it begins again. Called by session.ts.
 */
import { asLockstepError } from '../../base/errors';
import { oneAtATime } from '../../base/one-at-a-time';
import { stepOf } from '../../protocol/micro-batches';
import type { ControlProgress } from '../../protocol/session';
import type { Blueprint } from '../blueprint';
import type { DeviceKeeper } from '../device-keeper';
import { isRestartable } from '../failures/restartable';
import { type ControlRun, openControlRun } from './control-run';

/** A slice of the control; the open run gets at least as much time. */
const SLICE_MS = 30;

export interface ControlKeeperOptions {
  readonly blueprint: Blueprint;
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  readonly stepOfRun: () => number;
}

export class ControlKeeper {
  private run: ControlRun | undefined;
  private readonly inTurn = oneAtATime();

  constructor(private readonly options: ControlKeeperOptions) {}

  ask(wanted: boolean): Promise<ControlProgress | undefined> {
    return this.inTurn(async () => {
      const { blueprint, stepOfRun } = this.options;
      if (blueprint.reference.length === 0) return undefined;
      if (!wanted) {
        await this.end();
        return undefined;
      }
      try {
        this.run ??= await openControlRun(blueprint, this.options);
        await this.run.advance(stepOfRun(), SLICE_MS);
        return { step: this.run.step, differences: [...this.run.differences] };
      } catch (error) {
        await this.end().catch(() => {});
        if (!isRestartable(asLockstepError(error))) throw error;
        return { step: stepOf(blueprint.resume?.checkpoint.microBatch ?? 0, blueprint.config), differences: [] };
      }
    });
  }

  free(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  private async end(): Promise<void> {
    const ending = this.run;
    this.run = undefined;
    await ending?.dispose();
  }
}
