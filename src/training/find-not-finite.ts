/**
 * Finds the first value that is not finite: returns to the last checkpoint, replays up to the micro-batch before the
 * loss became NaN or infinite, and traces until an instruction writes such a value. Runs are deterministic, so the
 * replay fails where the run failed.
 */
import { firstFew } from '../base/brief';
import type { Config } from '../protocol/config';
import { stepWords } from '../protocol/micro-batches';
import type { StepTrace, TraceEvent } from '../protocol/trace';
import type { Checkpoint } from './checkpoint/checkpoint';
import type { Training } from './training';

export interface NotFinite {
  readonly microBatch: number;
  readonly event: TraceEvent | undefined;
  readonly trace: StepTrace | undefined;
}

/** Most micro-batches to replay; beyond, only the micro-batch of the loss is named. */
const REPLAY_LIMIT = 5000;

export async function findNotFinite(
  training: Training,
  microBatch: number,
  checkpoint: Checkpoint | undefined,
): Promise<NotFinite> {
  const start = checkpoint?.microBatch ?? training.blueprint.resume?.checkpoint.microBatch ?? 0;
  if (microBatch - start > REPLAY_LIMIT) return { microBatch, event: undefined, trace: undefined };
  if (checkpoint) await training.restore(checkpoint);
  else await training.reset();
  // The weights may have become non-finite in the micro-batch before the loss did.
  const quiet = microBatch - 1 - start;
  if (quiet > 0) await training.run(quiet);
  while (training.microBatch <= microBatch) {
    const trace = await training.trace();
    const event = trace.events.find((e) =>
      e.captured.some(({ values }) => values.some((value) => !Number.isFinite(value))),
    );
    if (event) return { microBatch: trace.microBatch, event, trace };
  }
  return { microBatch, event: undefined, trace: undefined };
}

/** A sentence: which buffer broke first, in which layer, phase and device. */
export function describeNotFinite({ microBatch, event }: NotFinite, config: Config): string {
  if (!event) return `The loss is no longer finite at ${stepWords(microBatch, config)}.`;
  const { module, name, writes, phase, device } = event;
  const where =
    module === '' ? name : `layer ${module} (${config.model.layers[Number(module)]?.type ?? 'unknown'}), ${name}`;
  return `The numbers stop being finite at ${stepWords(microBatch, config)}: first in ${firstFew(writes)} (${phase} of ${where}, cuda:${device}).`;
}
