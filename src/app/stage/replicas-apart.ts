/**
 * The words between the rooms of replicas at the end of a step: that the replicas are equal bit for bit, or their
 * largest difference. The session computes the number over all parameters; until it has sent this step's number, there
 * are no words. Pure; called by the stage's model.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { Snapshot } from '../../protocol/snapshot';
import { formatSmall } from '../draw/format';
import { bottom, overlaps, type Rect, right } from '../draw/geometry';
import type { ApartScene } from './scene-types';

const HEIGHT = 16;
/** The approximate width of a letter. */
const LETTER = 6.6;

/** A completed step, the optimizer's step included. */
export interface EndedStep {
  readonly info: Pick<SessionInfo, 'roles' | 'ranks'> & { readonly config?: Pick<SessionInfo['config'], 'mesh'> };
  /** The number of steps taken. */
  readonly step: number;
  readonly snapshot: Pick<Snapshot, 'step' | 'replicaDivergence'> | undefined;
}

/** '= Δ 0' if the replicas have the same bits; undefined without replicas, or if the step's number is not known. */
function apartWords({ info, step, snapshot }: EndedStep): string | undefined {
  // Neighbours in a tensor group have different parts of the layers, so they are not replicas.
  const isCut = (info.config?.mesh.tp ?? 1) > 1;
  const replicas = info.ranks > 1 && !isCut && info.roles.every(({ keepsState, hasRows }) => keepsState && hasRows);
  if (!replicas || snapshot?.step !== step) return undefined;
  return snapshot.replicaDivergence === 0 ? '= Δ 0' : `≠ Δ ${formatSmall(snapshot.replicaDivergence)}`;
}

/** Places the words halfway between each room and the next, if they fit. */
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
