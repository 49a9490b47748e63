/**
 * Sorts groups of nodes so that each comes after all its dependencies, and splits groups for which that is impossible
 * because one would have to be both before and after another. Independent of traces; called by moments.ts.
 */

/** Nodes are numbered such that each comes after its dependencies. */
export interface GroupProblem {
  /** By node, the nodes that it comes after. */
  readonly after: readonly (readonly number[])[];
  /** By node, the key of its group. */
  readonly keys: readonly string[];
  /** By node, its start; among the groups that could be next, the earliest is chosen. */
  readonly startUs: readonly number[];
}

/** The groups in order, each with its nodes ascending. */
export function sortGroups({ after, keys, startUs }: GroupProblem): readonly (readonly number[])[] {
  const sorted = tryToSort({ after, keys, startUs });
  if (!sorted.stuck) return sorted.groups;
  const apart = splitByDepth(after, keys, sorted.stuck);
  const again = tryToSort({ after, keys: apart, startUs });
  return again.stuck ? sortInParts({ after, keys, startUs }) : again.groups;
}

/**
 * Takes one group after the other: a whole group if all its nodes can come next, or else the part of the earliest group
 * that can. A group is split only when no whole group can come next.
 */
function sortInParts({ after, keys, startUs }: GroupProblem): readonly (readonly number[])[] {
  const next: number[][] = after.map(() => []);
  after.forEach((nodes, node) => {
    for (const other of nodes) next[other]?.push(node);
  });
  const done = new Set<number>();
  const left = membersOf(keys);
  /** By group, what can come next, as far as nothing before it has changed since. */
  const parts = new Map<string, Part>();
  const groups: (readonly number[])[] = [];
  while (left.size > 0) {
    let first: Part | undefined;
    for (const [key, nodes] of left) {
      const part = parts.get(key) ?? partOf({ key, nodes, after, startUs, done });
      parts.set(key, part);
      if (part.nodes.length > 0 && (!first || comesBefore(part, first))) first = part;
    }
    if (!first) break;
    groups.push(first.nodes);
    parts.delete(first.key);
    for (const node of first.nodes) {
      done.add(node);
      for (const other of next[node] ?? []) parts.delete(keys[other] ?? '');
    }
    const rest = (left.get(first.key) ?? []).filter((node) => !done.has(node));
    if (rest.length > 0) left.set(first.key, rest);
    else left.delete(first.key);
  }
  return groups;
}

interface Part {
  readonly key: string;
  readonly nodes: readonly number[];
  readonly whole: boolean;
  readonly startUs: number;
}

interface PartProblem extends Omit<GroupProblem, 'keys'> {
  readonly key: string;
  readonly nodes: readonly number[];
  readonly done: ReadonlySet<number>;
}

/** The nodes of a group that can come next: each after nodes that are done or in this part. */
function partOf({ key, nodes, after, startUs, done }: PartProblem): Part {
  const part = new Set<number>();
  for (const node of nodes)
    if ((after[node] ?? []).every((other) => done.has(other) || part.has(other))) part.add(node);
  const starts = [...part].map((node) => startUs[node] ?? 0);
  return { key, nodes: [...part], whole: part.size === nodes.length, startUs: Math.min(...starts) };
}

/** Whole groups first, then by time. */
function comesBefore(a: Part, b: Part): boolean {
  if (a.whole !== b.whole) return a.whole;
  if (a.startUs !== b.startUs) return a.startUs < b.startUs;
  return (a.nodes[0] ?? 0) < (b.nodes[0] ?? 0);
}

function membersOf(keys: readonly string[]): Map<string, readonly number[]> {
  const members = new Map<string, number[]>();
  keys.forEach((key, node) => {
    const own = members.get(key);
    if (own) own.push(node);
    else members.set(key, [node]);
  });
  return members;
}

interface Sorted {
  readonly groups: readonly (readonly number[])[];
  /** Keys of groups that are both before and after another. */
  readonly stuck?: ReadonlySet<string>;
}

function tryToSort({ after, keys, startUs }: GroupProblem): Sorted {
  const members = membersOf(keys);
  const before = new Map<string, Set<string>>([...members.keys()].map((key) => [key, new Set()]));
  const next = new Map<string, Set<string>>([...members.keys()].map((key) => [key, new Set()]));
  after.forEach((nodes, node) => {
    const own = keys[node] ?? '';
    for (const other of nodes) {
      const key = keys[other] ?? '';
      if (key === own) continue;
      before.get(own)?.add(key);
      next.get(key)?.add(own);
    }
  });
  const begins = new Map(
    [...members].map(([key, nodes]) => [key, Math.min(...nodes.map((node) => startUs[node] ?? 0))] as const),
  );
  const waits = new Map([...before].map(([key, others]) => [key, others.size] as const));
  const ready = [...members.keys()].filter((key) => waits.get(key) === 0);
  const groups: (readonly number[])[] = [];
  const done = new Set<string>();
  while (ready.length > 0) {
    const key = earliest(ready, begins, members);
    ready.splice(ready.indexOf(key), 1);
    groups.push(members.get(key) ?? []);
    done.add(key);
    for (const other of next.get(key) ?? []) {
      const left = (waits.get(other) ?? 0) - 1;
      waits.set(other, left);
      if (left === 0) ready.push(other);
    }
  }
  return done.size === members.size ? { groups } : { groups, stuck: inCircles(done, next, before) };
}

function earliest(
  ready: readonly string[],
  begins: ReadonlyMap<string, number>,
  members: ReadonlyMap<string, readonly number[]>,
): string {
  const rank = (key: string) => [begins.get(key) ?? 0, members.get(key)?.[0] ?? 0] as const;
  return ready.reduce((best, key) => {
    const [start, first] = rank(key);
    const [bestStart, bestFirst] = rank(best);
    return start < bestStart || (start === bestStart && first < bestFirst) ? key : best;
  });
}

/** Groups that are part of a cycle, among the groups that could not be sorted. */
function inCircles(
  done: ReadonlySet<string>,
  next: ReadonlyMap<string, ReadonlySet<string>>,
  before: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const left = new Set([...before.keys()].filter((key) => !done.has(key)));
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const key of left) if (![...(next.get(key) ?? [])].some((other) => left.has(other))) left.delete(key);
  }
  return left;
}

/** Splits a stuck group: nodes that come after other nodes of the group through a third group form their own group. */
function splitByDepth(
  after: readonly (readonly number[])[],
  keys: readonly string[],
  stuck: ReadonlySet<string>,
): readonly string[] {
  /** By node and stuck group: the least depth of a node of that group after this node. */
  const least: Map<string, number>[] = [];
  const depths: number[] = [];
  after.forEach((nodes, node) => {
    const own = keys[node] ?? '';
    const floor = new Map<string, number>();
    let depth = 0;
    for (const other of nodes) {
      const key = keys[other] ?? '';
      for (const [group, value] of least[other] ?? []) {
        const from = group === key ? (depths[other] ?? 0) + (own === key ? 0 : 1) : value;
        if (group === own) depth = Math.max(depth, from);
        floor.set(group, Math.max(floor.get(group) ?? 0, from));
      }
    }
    if (stuck.has(own)) floor.set(own, depth);
    depths.push(depth);
    least.push(floor);
  });
  return keys.map((key, node) => (stuck.has(key) ? `${key} depth ${depths[node] ?? 0}` : key));
}
