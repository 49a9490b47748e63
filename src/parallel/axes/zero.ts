/**
 * Axis dpShard in stages 0 and 1 of ZeRO: parameters and gradients are whole on every rank, and DDP averages the
 * gradients. In stage 1 each rank keeps the optimiser states of its share of the parameters. Batches are taken as in
 * the other stages, so that runs of all stages can be compared. Loaded by spmd.ts.
 */
import type { ModeFacets } from '../facets/mode-facets';
import { zeroForm } from '../sharded/closed-form';
import { compileZero } from '../sharded/compile';
import { unusedSettings } from '../sharded/notices';
import { settleZero } from '../sharded/settle';
import { shardingInfo } from '../sharded/sharding-info';
import { everyPiece, wholeBatches } from './every-piece';
import { replicas } from './replicas';
import { sizedMesh } from './sized-mesh';

export const zero: ModeFacets = {
  place: everyPiece,
  batches: wholeBatches,
  steps: replicas.steps,
  processes: replicas.processes,
  compiler: {
    settle: settleZero,
    compile: (input, kind) => compileZero(input, kind, sizedMesh(input.config)),
    construct: replicas.compiler.construct,
    broadcastState: (input, buffers) =>
      input.config.sharded.stage === 0 ? replicas.compiler.broadcastState(input, buffers) : undefined,
  },
  facts: {
    ...replicas.facts,
    closedForm: (run, pass) => zeroForm(run, pass, sizedMesh(run.config)),
    sharding: (input) => shardingInfo(input, sizedMesh(input.config)),
  },
  checks: {
    schedule: replicas.checks.schedule,
    stop: replicas.checks.stop,
    notices: (input) => [...replicas.checks.notices(input), ...unusedSettings(input)],
  },
};
