/**
 * What the collectives of a step are given, by kind, as one counts it from outside: torch's profiler and flight
 * recorder say the same sizes, whatever the algorithm below makes of them. Called by report.ts.
 */
import { collectiveKey } from '../program/collective-key';
import type { Program } from '../program/instruction';

/** 'allReduce' is all_reduce, as torch.distributed writes it. Bytes that the first rank brings. */
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

/** Of an element: float32 or int32. */
const BYTES = 4;
