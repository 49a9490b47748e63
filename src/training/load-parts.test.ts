/** What load-parts names is all that a configuration's Programs are made of. */
import { afterAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { parseConfig } from '../config/parse-config';
import { EVERY_FAMILY, familyOfProgramOp, loadProgramOps, opNamesOf } from '../parallel/modes';
import type { ConfigInput } from '../protocol/config';
import { createBlueprint } from './blueprint';
import { opFamiliesOf } from './load-parts';
import { DDP_RUNS } from './testing/bits/ddp';
import { MODEL_RUNS } from './testing/bits/models';
import { MODE_RUNS } from './testing/bits/modes';
import type { Named } from './testing/bits/nets';
import { UPDATE_RUNS } from './testing/bits/updates';

const late = new Map<string, string>();
for (const family of EVERY_FAMILY) for (const { name } of await loadProgramOps([family])) late.set(name, family);

test('the family of a late operator is known by its name', () => {
  for (const [name, family] of late) expect(familyOfProgramOp(name), name).toBe(family);
});

/** Where the ranks live changes no Program: a configuration and its like in workers are compiled once. */
const compiled = new Map<string, readonly string[]>();
afterAll(() => compiled.clear());

function familiesIn({ placement, ...others }: ConfigInput): readonly string[] {
  const key = JSON.stringify(others);
  const kept = compiled.get(key);
  if (kept) return kept;
  const { programs, reference } = createBlueprint(parseConfig({ ...others, placement }), {});
  const families = [...opNamesOf([...programs, ...reference])].flatMap((name) => late.get(name) ?? []);
  compiled.set(key, families);
  return families;
}

const holdRuns = (runs: readonly Named[], rest?: string) => {
  for (const { name, config } of runs)
    test(name, place({ rest }), () => {
      const families = new Set(familiesIn(config));
      expect(opFamiliesOf(parseConfig(config))).toEqual(expect.arrayContaining([...families]));
    });
};
holdRuns(MODE_RUNS);
holdRuns([...UPDATE_RUNS, ...DDP_RUNS, ...MODEL_RUNS], 'the operators of each mode with each net are looked for');
