/**
 * post_localSGD_hook with PostLocalSGDOptimizer: the first steps reduce gradients as usual; then each rank steps with
 * its own gradients, and every `period` steps the parameters are averaged over all ranks. Between averages the replicas
 * differ. Sources: torch/distributed/algorithms/ddp_comm_hooks/post_localSGD_hook.py
 * (post_local_gradient_allreduce=False), model_averaging/averagers.py.
 */
import { algorithmFor } from '../../../collectives/algorithms';
import type { Where } from '../../../program/lane-builder';
import type { Config } from '../../../protocol/config';
import type { HookPhase } from '../../../protocol/step-kind';
import { elements } from '../../../tensor/shape';
import { allreduce } from './allreduce';
import type { CommHook } from './comm-hook';

const PLAIN: HookPhase = 'plain';
const AVERAGE: HookPhase = 'average';
/** All parameters in one flat buffer, in the layout of average_parameters(). */
const FLAT = 'flat_params';

function settings({ ddp }: Config): { readonly period: number; readonly start: number } {
  const { commHook } = ddp;
  return commHook.type === 'localSGD'
    ? { period: commHook.period, start: commHook.startLocalSGDIter }
    : { period: 1, start: 0 };
}

export const localSGD: CommHook = {
  name: 'localSGD',
  scale: (worldSize, phase) => (phase === PLAIN ? 1 / worldSize : 1),

  emit(call) {
    if (call.phase === PLAIN) allreduce.emit(call);
  },

  phases(config) {
    const { period, start } = settings(config);
    return {
      names: ['usual', AVERAGE, ...(start > 0 ? [PLAIN] : [])],
      at: (step) => (step < start ? PLAIN : (step - start) % period === 0 ? AVERAGE : 'usual'),
    };
  },

  /** PeriodicModelAverager.average_parameters: divided by the world size, then summed. */
  afterStep({ builder, config, group, parameters, prefix, phase }) {
    if (phase !== AVERAGE || group.ranks.length === 1) return;
    const where: Where = { phase: 'reduce', anchor: 'average' };
    const comm: Where = { ...where, queue: 'comm' };
    const flat = `${prefix}${FLAT}`;
    let length = 0;
    for (const lane of builder.lanesOf(group)) {
      length = parameters.reduce((n, name) => n + elements(lane.spec(name).shape), 0);
      lane.buffer({ name: flat, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
      lane.compute('ddp/pack', parameters, [flat], { scale: 1 / group.ranks.length }, where);
      lane.handOver('compute', 'comm', comm);
    }
    algorithmFor(config.ddp.algorithm, 'allReduce').emit({
      builder,
      op: 'allReduce',
      group,
      input: flat,
      length,
      payload: 'parameter',
      where: comm,
    });
    for (const lane of builder.lanesOf(group)) {
      lane.handOver('comm', 'compute', where);
      lane.compute('ddp/unpack', [flat], parameters, {}, where);
    }
  },
};
