/**
 * Presets over a mesh: modes whose ranks all run the same step. Which axes the mesh of a run has, and whether
 * fully_shard wraps its layers, decides the facets. Each axis has a file in this folder, which is loaded for the runs
 * that need it; DDP's replicas are loaded with the page. Called by the modes ddp, pipeline, sharded and tensor.
 */
import { loadAll, Part } from '../../base/part';
import type { Config } from '../../protocol/config';
import { reduceHalf } from '../../protocol/half-of';
import { meshSizes, openAxis, shardsParameters } from '../../protocol/mesh-sizes';
import { checkDdp } from '../ddp/checks';
import { opFamiliesOfHook } from '../ddp/comm-hooks/comm-hooks';
import { mayNotFit, SHARDING_ADVICE } from '../ddp/sharding-advice';
import type { ParallelMode } from '../mode';
import { lineOfReplicas, replicas } from './replicas';
import { sizedMesh } from './sized-mesh';

const STAGES = new Part('The compiler of pipelines', async () => (await import('./stages')).stages);
const SHARDS = new Part('The compiler of fully_shard', async () => (await import('./shards')).shards);
const ZERO = new Part('The compiler of ZeRO', async () => (await import('./zero')).zero);
const CUTS = new Part('The compiler of tensor parallelism', async () => (await import('./cuts')).cuts);
if (!globalThis.LOCKSTEP_SITE) await loadAll([STAGES, SHARDS, ZERO, CUTS]);

export function spmd({ face, listing }: Pick<ParallelMode, 'face' | 'listing'>): ParallelMode {
  const open = openAxis(face.name);
  /** Without an axis that the settings size, all devices are replicas. */
  const isLine = !face.axes?.includes(open);
  const isReplicated = (config: Config): boolean => isLine || (open === 'dpShard' && !shardsParameters(config));
  const late = (config: Config) => {
    if (open === 'pp') return STAGES;
    if (shardsParameters(config)) return SHARDS;
    return open === 'dpShard' ? ZERO : CUTS;
  };
  return {
    face,
    listing,
    mesh: isLine ? lineOfReplicas : sizedMesh,
    check: (config) => (isReplicated(config) ? checkDdp(config) : undefined),
    parts: (config) => (isLine ? (mayNotFit(config) ? [SHARDING_ADVICE] : []) : [late(config)]),
    opFamilies(config) {
      if (isReplicated(config)) return opFamiliesOfHook(config);
      return [
        ...(open === 'tp' || meshSizes(config).tp > 1 ? (['partition'] as const) : []),
        ...(shardsParameters(config) ? (['sharded'] as const) : opFamiliesOfHook(config)),
        ...(reduceHalf(config) ? (['halves'] as const) : []),
      ];
    },
    facets: (config) => (isLine ? replicas : late(config).get()),
  };
}
