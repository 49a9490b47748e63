import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortGroups } from './sort-groups';

/** Nodes of a few groups on a few lanes: each comes after the one before it on its lane, some after another lane's. */
const problems = fc
  .record({
    lanes: fc.integer({ min: 2, max: 4 }),
    nodes: fc.array(fc.record({ lane: fc.nat(3), group: fc.nat(5), waitsFor: fc.option(fc.nat(60)) }), {
      minLength: 1,
      maxLength: 60,
    }),
  })
  .map(({ lanes, nodes }) => {
    const latest = new Map<number, number>();
    const after = nodes.map(({ lane, waitsFor }, node) => {
      const before = latest.get(lane % lanes);
      latest.set(lane % lanes, node);
      const other = waitsFor === null || node === 0 ? [] : [waitsFor % node];
      return [...(before === undefined ? [] : [before]), ...other];
    });
    return { after, keys: nodes.map(({ group }) => `group ${group}`), startUs: nodes.map((_, node) => node) };
  });

test('every node comes once, after what it depends on, among nodes of its own group', () => {
  fc.assert(
    fc.property(problems, ({ after, keys, startUs }) => {
      const groups = sortGroups({ after, keys, startUs });
      expect(groups.flat().sort((a, b) => a - b)).toEqual(keys.map((_, node) => node));
      const placeOf = new Map(groups.flatMap((group, place) => group.map((node) => [node, place] as const)));
      after.forEach((nodes, node) => {
        for (const other of nodes) expect(placeOf.get(other)).toBeLessThanOrEqual(placeOf.get(node) ?? -1);
      });
      for (const group of groups) expect(new Set(group.map((node) => keys[node])).size).toBe(1);
    }),
  );
});

test('a rank that is late at one place splits the groups there, and no group after them', () => {
  // Three ranks do a, b, a, b, then c to z. Rank 2 does b first, which no order of whole groups allows.
  const letters = [...'cdefghijklmnopqrstuvwxyz'];
  const work = [
    ['a', 'b', 'a', 'b', ...letters],
    ['a', 'b', 'a', 'b', ...letters],
    ['b', 'a', 'b', 'a', ...letters],
  ];
  const nodes = work.flatMap((own, rank) => own.map((key, place) => ({ key, rank, place })));
  const after = nodes.map(({ place }, node) => (place === 0 ? [] : [node - 1]));
  const groups = sortGroups({
    after,
    keys: nodes.map(({ key }) => key),
    startUs: nodes.map(({ place, rank }) => 10 * place + rank),
  });
  const ofLetters = groups.filter((group) => letters.includes(nodes[group[0] ?? 0]?.key ?? ''));
  expect(ofLetters.map((group) => group.length)).toEqual(letters.map(() => 3));
  expect(groups.length - ofLetters.length).toBeLessThanOrEqual(6);
});
