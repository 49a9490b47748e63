/**
 * The parameters that each rank has drawn when training begins, and the state of its default generator. All ranks run
 * one script with one seed; with `rankSeeds` they call torch.manual_seed(seed + rank) before the model is built, or
 * after. Called by blueprint.ts.
 */

import { at } from '../base/invariant';
import type { DeviceMesh } from '../mesh/device-mesh';
import { type InitialParameter, initialParameters } from '../nn/model';
import type { ModeFacets } from '../parallel/facets/mode-facets';
import type { Config } from '../protocol/config';
import { Generator } from '../tensor/generator';

export interface RankStarts {
  /** By rank; one entry if all ranks draw the same. */
  readonly parameters: readonly (readonly InitialParameter[])[];
  /** By data index: ranks that share a batch draw the same order. */
  readonly generators: readonly Generator[];
}

export interface RankDraws {
  readonly config: Config;
  readonly facets: Pick<ModeFacets, 'processes'>;
}

/** `afterData`: the default generator after the data was drawn. */
export function rankStarts(run: RankDraws, afterData: Generator, mesh: DeviceMesh): RankStarts {
  const { config, facets } = run;
  const rankSeeds = facets.processes.rankSeeds?.(config) ?? 'same';
  const { layers } = config.model;
  const differ = rankSeeds !== 'same';
  const starts = Array.from({ length: differ ? mesh.worldSize : 1 }, (_, rank) => {
    const own = new Generator((config.seed + rank) % 2 ** 32);
    const drawing = differ && rankSeeds === 'beforeModel' ? own : afterData.clone();
    const parameters = initialParameters(layers, drawing);
    return { parameters, generator: differ && rankSeeds === 'afterModel' ? own : drawing };
  });
  return {
    parameters: starts.map((s) => s.parameters),
    generators: Array.from({ length: mesh.dataIndices }, (_, index) => {
      const first = mesh.world.ranks.findIndex((rank) => mesh.dataIndex(rank) === index);
      return at(starts, differ ? first : 0).generator;
    }),
  };
}
