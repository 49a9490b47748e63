/**
 * Where did it begin? Goes back to the last checkpoint, replays up to the step before the loss broke, and traces from there until an instruction writes a
 * value that is not finite. Runs are deterministic, so the replay breaks where the run broke.
 */
import type { LayerConfig } from '../protocol/config';
import type { StepTrace, TraceEvent } from '../protocol/trace';
import type { Checkpoint } from './checkpoint/checkpoint';
import type { Training } from './training';

export interface NotFinite {
  readonly step: number;
  readonly event: TraceEvent | undefined;
  readonly trace: StepTrace | undefined;
}

/** Steps replayed at most; beyond, only the step of the loss is named. */
const REPLAY_LIMIT = 5000;

export async function findNotFinite(
  training: Training,
  step: number,
  checkpoint: Checkpoint | undefined,
): Promise<NotFinite> {
  const start = checkpoint?.step ?? training.blueprint.resume?.checkpoint.step ?? 0;
  if (step - start > REPLAY_LIMIT) return { step, event: undefined, trace: undefined };
  if (checkpoint) await training.restore(checkpoint);
  else await training.reset();
  // The weights may have broken in the step before the one whose loss shows it.
  const quiet = step - 1 - start;
  if (quiet > 0) await training.run(quiet);
  while (training.step <= step) {
    const trace = await training.trace();
    const event = trace.events.find((e) =>
      e.captured.some(({ values }) => values.some((value) => !Number.isFinite(value))),
    );
    if (event) return { step: trace.step, event, trace };
  }
  return { step, event: undefined, trace: undefined };
}

/** A sentence: which buffer broke first, in which layer, phase and device. */
export function describeNotFinite({ step, event }: NotFinite, layers: readonly LayerConfig[]): string {
  if (!event) return `The loss is no longer finite at step ${step}.`;
  const { module, name, writes, phase, device } = event;
  const where = module === '' ? name : `layer ${module} (${layers[Number(module)]?.type ?? 'unknown'}), ${name}`;
  return `The numbers stop being finite at step ${step}: first in ${writes.join(', ')} (${phase} of ${where}, cuda:${device}).`;
}
