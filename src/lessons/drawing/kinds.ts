/** The kinds of drawings, each loaded when a page has one. A new kind is a row here and a module beside this one. */
import { loadPart } from '../../base/load-part';
import { lookup } from '../../base/lookup';
import type { DrawingKind } from './drawing';
import type { KindName } from './kind-names';

const KINDS: Readonly<Record<KindName, () => Promise<{ readonly kind: DrawingKind }>>> = {
  'at-size': () => loadPart('The worked example', () => import('./at-size/at-size')),
  'launched-steps': () => loadPart('The launched steps', () => import('./kinds/launched-steps')),
  'memory-over-time': () => loadPart('The memory over time', () => import('./kinds/memory-over-time')),
  deal: () => loadPart('The list of rows', () => import('./kinds/deal')),
  'loss-surface': () => loadPart('The loss surface', () => import('./kinds/loss-surface')),
  'memory-and-time': () => loadPart('Memory and time', () => import('./kinds/memory-and-time')),
  'norm-statistics': () => loadPart('The statistics', () => import('./kinds/norm-statistics')),
  recording: () => loadPart('The recording', () => import('./kinds/recording')),
  rendezvous: () => loadPart('The rendezvous', () => import('./kinds/rendezvous')),
  'sixteen-bits': () => loadPart('The bits', () => import('./kinds/sixteen-bits')),
  'two-ways': () => loadPart('The two ways', () => import('./kinds/two-ways')),
};

export async function loadKind(name: string): Promise<DrawingKind> {
  const load = lookup(KINDS, name);
  if (!load) throw new Error(`There is no kind of drawings called "${name}".`);
  return (await load()).kind;
}

/** All of them, for the build. */
export async function loadKinds(): Promise<ReadonlyMap<string, DrawingKind>> {
  const names = Object.keys(KINDS);
  const kinds = await Promise.all(names.map(loadKind));
  return new Map(names.flatMap((name, index) => (kinds[index] ? [[name, kinds[index]] as const] : [])));
}
