/** What load-parts names is all that a configuration's Programs are made of. */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { EVERY_FAMILY, familyOfProgramOp, loadProgramOps, opNamesOf } from '../parallel/modes';
import { createBlueprint } from './blueprint';
import { opFamiliesOf } from './load-parts';
import { DDP_RUNS } from './testing/bits/ddp';
import { MODEL_RUNS } from './testing/bits/models';
import { MODE_RUNS } from './testing/bits/modes';
import { UPDATE_RUNS } from './testing/bits/updates';

const late = new Map<string, string>();
for (const family of EVERY_FAMILY) for (const { name } of await loadProgramOps([family])) late.set(name, family);

test('the family of a late operator is known by its name', () => {
  for (const [name, family] of late) expect(familyOfProgramOp(name), name).toBe(family);
});

test.each([...MODE_RUNS, ...UPDATE_RUNS, ...DDP_RUNS, ...MODEL_RUNS])('$name', ({ config: input }) => {
  const config = parseConfig(input);
  const { programs, reference } = createBlueprint(config, {});
  const families = [...opNamesOf([...programs, ...reference])].flatMap((name) => late.get(name) ?? []);
  expect(opFamiliesOf(config)).toEqual(expect.arrayContaining([...new Set(families)]));
});
