/** One run of a collective's Program on an executor: inputs in, a step, results out. */
import { at } from '../../base/invariant';
import { outputLength } from '../../collectives/output-length';
import { ALONE, programKey } from '../../protocol/step-kind';
import { viewAs } from '../../runtime/cpu/combine';
import type { Executor } from '../../runtime/executor';
import type { HostArray } from '../../tensor/shape';
import { INPUT, OUTPUT } from './collective-program';
import type { CollectiveRequest } from './group-backend';

export interface LanePart {
  readonly rank: number;
  readonly input: HostArray;
  readonly output: HostArray;
}

/** The arrays of the ranks that `executor` hosts. */
export async function runLane(
  executor: Executor,
  request: CollectiveRequest,
  parts: readonly LanePart[],
): Promise<void> {
  if (request.length > 0) for (const { rank, input } of parts) executor.write(rank, INPUT, input);
  await executor.step(programKey(ALONE), () => new Float32Array(0));
  if (request.length === 0) return;
  const inPlace = (outputLength(request.op, request.length, request.worldSize) ?? 0) === 0;
  const results = await executor.read(
    parts.map(({ rank }) => ({ device: rank, buffer: inPlace ? INPUT : OUTPUT })),
    'bits',
  );
  parts.forEach(({ input, output }, i) => {
    // A rank without an output (every rank except the root of a gather) ignores its result.
    const target = inPlace ? input : output;
    if (target.length > 0) target.set(viewAs(target, at(results, i)));
  });
}
