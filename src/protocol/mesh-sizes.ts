/**
 * How many ranks lie along each axis of a pipeline's mesh, and where each is. All of it follows from the settings
 * alone, so the page knows it before any session. Called by parallel/pipeline and by the page's picture of the mesh.
 */
import type { Config } from './config';

export interface MeshSizes {
  /** Ranks of a pipeline. */
  readonly pp: number;
  /** Replicas of the pipeline. */
  readonly dp: number;
}

/** `mesh.pp` where it is given, else the devices that each replica has. */
export function meshSizes({ mesh, worldSize }: Pick<Config, 'mesh' | 'worldSize'>): MeshSizes {
  const { dp, pp = Math.max(1, Math.floor(worldSize / dp)) } = mesh;
  return { pp, dp };
}

/** Pipeline ranks are the outer axis, as in torchtitan: rank = pp · dp size + dp. */
export const placeOf = (rank: number, { dp }: MeshSizes): { readonly pp: number; readonly dp: number } => ({
  pp: Math.floor(rank / dp),
  dp: rank % dp,
});
