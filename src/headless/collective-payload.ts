/**
 * The payload of a step's collectives, by kind, as torch's profiler and flight recorder count it, independent of the
 * algorithm. Called by report.ts.
 */
import { collectiveKey } from '../program/collective-key';
import type { Program } from '../program/instruction';

/** Bytes of the first rank's input; the keys are torch.distributed's names, all_reduce for 'allReduce'. */
export function collectivePayload(programs: readonly Program[]): Readonly<Record<string, number>> {
  const bytes = new Map<string, number>();
  for (const { lanes } of programs) {
    const seen = new Set<string>();
    for (const instruction of lanes[0]?.instructions ?? []) {
      if (instruction.kind !== 'send' && instruction.kind !== 'recv') continue;
      const { collective } = instruction;
      if (collective?.tensor === undefined || collective.op === 'sendRecv' || seen.has(collectiveKey(collective)))
        continue;
      seen.add(collectiveKey(collective));
      const kind = collective.op.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
      bytes.set(kind, (bytes.get(kind) ?? 0) + BYTES * collective.tensor.length);
    }
  }
  return Object.fromEntries(bytes);
}

/** Bytes per element: float32 or int32. */
const BYTES = 4;
