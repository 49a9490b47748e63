/**
 * Between the rooms of replicas, once a step has ended: that they are equal bit for bit, or by how much they differ at
 * most. The number is the session's, over all of their parameters; before it has come for this step, nothing is said.
 * Pure; called by the stage's model.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { Snapshot } from '../../protocol/snapshot';
import { formatSmall } from '../draw/format';
import { bottom, overlaps, type Rect, right } from '../draw/geometry';
import type { ApartScene } from './scene-types';

const HEIGHT = 16;
/** About as wide as a letter. */
const LETTER = 6.6;

/** Micro-batches of the step are done, the optimizer's step included. */
export interface EndedStep {
  readonly info: Pick<SessionInfo, 'roles' | 'ranks'> & { readonly config?: Pick<SessionInfo['config'], 'mesh'> };
  /** Steps taken. */
  readonly step: number;
  readonly snapshot: Pick<Snapshot, 'step' | 'replicaDivergence'> | undefined;
}

/** '= Δ 0' where they are the same bits; undefined where there are no replicas, or nothing is known of this step. */
function apartWords({ info, step, snapshot }: EndedStep): string | undefined {
  // Neighbours in a tensor group have different parts of the layers.
  const isCut = (info.config?.mesh.tp ?? 1) > 1;
  const replicas = info.ranks > 1 && !isCut && info.roles.every(({ keepsState, hasRows }) => keepsState && hasRows);
  if (!replicas || snapshot?.step !== step) return undefined;
  return snapshot.replicaDivergence === 0 ? '= Δ 0' : `≠ Δ ${formatSmall(snapshot.replicaDivergence)}`;
}

/** In the middle between each room and the next one, where there is room for it. */
export function replicasApart(rooms: readonly Rect[], ended: EndedStep | undefined): readonly ApartScene[] {
  const text = ended && apartWords(ended);
  if (text === undefined) return [];
  const width = text.length * LETTER;
  return rooms.flatMap((room, i): ApartScene[] => {
    const next = rooms[i + 1];
    if (!next) return [];
    const centre = {
      x: (Math.min(right(room), right(next)) + Math.max(room.x, next.x)) / 2,
      y: (Math.min(bottom(room), bottom(next)) + Math.max(room.y, next.y)) / 2,
    };
    const rect = { x: centre.x - width / 2, y: centre.y - HEIGHT / 2, width, height: HEIGHT };
    return rooms.some((other) => overlaps(other, rect)) ? [] : [{ text, rect, equal: text.startsWith('=') }];
  });
}
