/**
 * The lines of a pipeline's PyTorch script about what a step does: the actions within schedule.step(), the average over
 * replicas if DDP does not compute it, clipping over all stages. Called by the pipeline's listing; ranks, stages and
 * schedule are in pipeline.ts.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { clipLines } from './clip';
import { codeLine as line } from './code-line';
import { indented } from './loop';
import { type Averaging, DP_GROUP, isMesh, type PipelineShape } from './pipeline';

import { clipLinesOfLocals, clipLinesOfParts } from './tensor-clip';

const GRADIENTS = '[p.grad for p in parameters.values() if p.grad is not None]';

/** The gradients that the script averages: of local parts where tensor groups cut layers, without shared weights. */
function averagedGradients({ tp }: PipelineShape, leavesOut: boolean): string {
  const others = leavesOut ? 'if not is_averaged(p)' : '';
  if (tp === 1) return `[p.grad for p in parameters.values() if p.grad is not None${others.replace('if', ' and')}]`;
  const all = ['p.grad for p in parameters.values()', others].join(' ').trim();
  return `[g.to_local() if isinstance(g, DTensor) else g for g in (${all}) if g is not None]`;
}

/**
 * Comments after schedule.step() about what it did, and the average over replicas if the step does not include it.
 * `leavesOut`: shared weights are averaged afterwards.
 */
export function insideLines(
  { pipeline, ddp }: Config,
  shape: PipelineShape,
  { averaging, leavesOut }: { readonly averaging: Averaging; readonly leavesOut: boolean },
): readonly CodeLine[] {
  const { dp, microBatches, rankOfStage, scalesByHand } = shape;
  const halves = averaging === 'byHand';
  const sends = rankOfStage.some((owner, stage) => stage > 0 && owner !== rankOfStage[stage - 1]);
  return [
    ...(sends ? [line('#   SEND_F, RECV_F: activations forward', 'send_activation')] : []),
    line('#   F: forward of a stage, one micro-batch', 'forward'),
    line('#   loss of a micro-batch, last stage', 'loss'),
    line(`#   ${BACKWARD_WORDS(pipeline.schedule)}`, 'backward'),
    ...(sends ? [line('#   SEND_B, RECV_B: gradients back', 'send_gradient')] : []),
    ...(averaging === 'ddp' || averaging === 'keepsBuckets'
      ? [line('#   gradients all-reduced over dp with the last backward of a stage', 'allreduce')]
      : []),
    ...(averaging === 'shards'
      ? [line('#   units gathered before they are used; gradients scattered after the last backward of a stage')]
      : []),
    ...(pipeline.scaleGrads && microBatches > 1 && !scalesByHand
      ? [line(`#   scale_grads: gradients divided by ${microBatches}`, 'scale_grads')]
      : []),
    ...(pipeline.scaleGrads && microBatches > 1 && scalesByHand ? scaleByHand(shape) : []),
    ...(halves ? averageByHand(ddp.commHook, dp, averagedGradients(shape, leavesOut)) : []),
  ];
}

/** What scale_grads does; the schedule does not find the gradients of cut parameters. */
const scaleByHand = ({ microBatches, short }: PipelineShape): readonly CodeLine[] => [
  line(`for grad in ${GRADIENTS}:`),
  line(`    grad /= ${short ? 'own_schedule._n_microbatches' : microBatches}`, 'scale_grads'),
];

/** Averages gradients, compressed if the hook compresses. localSGD averages gradients only at the start. */
function averageByHand(hook: Config['ddp']['commHook'], dp: number, gradients: string): readonly CodeLine[] {
  if (hook.type === 'powerSGD') return [line('compress_gradients()', 'allreduce')];
  const half = hook.type === 'fp16Compress' ? 'float16' : hook.type === 'bf16Compress' ? 'bfloat16' : undefined;
  const each = (...body: readonly CodeLine[]) => [line(`for grad in ${gradients}:`), ...indented(1, body)];
  if (half !== undefined)
    return each(
      line(`half = grad.to(torch.${half}).div_(${dp})`),
      line(`torch.distributed.all_reduce(half, group=${DP_GROUP})`, 'allreduce'),
      line('grad.copy_(half)'),
    );
  const whole = each(line(`torch.distributed.all_reduce(grad, group=${DP_GROUP})`, 'allreduce'), line(`grad /= ${dp}`));
  if (hook.type !== 'localSGD') return whole;
  const { startLocalSGDIter: start } = hook;
  return start === 0 ? [] : [line(`if updates < ${start}:  # as post_localSGD_hook does`), ...indented(1, whole)];
}

const HALVES: ReadonlySet<Config['pipeline']['schedule']> = new Set([
  'InterleavedZeroBubble',
  'ZBVZeroBubble',
  'DualPipeV',
  'own',
]);

const BACKWARD_WORDS = (schedule: Config['pipeline']['schedule']): string =>
  HALVES.has(schedule)
    ? 'B: backward; in halves I, for the input, and W, for the weights'
    : 'B: backward of one micro-batch';

/**
 * Gradients are clipped by the norm over all stages, then by value. `counted`: a Python expression of the parameters by
 * name whose gradients are in this rank's norm.
 */
export function clipOverStages(
  config: Config,
  shape: PipelineShape,
  { averaging, counted }: { readonly averaging: Averaging; readonly counted: string },
): readonly CodeLine[] {
  const { pp, tp, sharded } = shape;
  const clipOfCuts = averaging === 'ddp' || averaging === 'keepsBuckets' ? clipLinesOfLocals : clipLinesOfParts;
  if (tp > 1) return clipOfCuts(config, { parameters: 'parameters', counted, overStages: pp > 1 });
  const { clipGradNorm, clipGradNormType, ...rest } = config;
  const byValue = clipLines(rest, 'parameters.values()');
  if (clipGradNorm === undefined) return byValue;
  if (pp === 1) return clipLines(config, 'parameters.values()');
  const p = clipGradNormType ?? 2;
  const isMost = p === 'inf';
  const group = isMesh(shape) ? ["group=mesh.get_group('pp')"] : [];
  const reduce = ['norm', ...(isMost ? ['torch.distributed.ReduceOp.MAX'] : []), ...group];
  const type = p === 2 ? '' : `, norm_type=${isMost ? "float('inf')" : p}`;
  return [
    line(`grads = ${GRADIENTS.replace('parameters', counted)}`),
    line(
      `norm = nn.utils.get_total_norm(grads${type})${sharded ? '.full_tensor()' : ''}.to(device)${isMost ? '' : ` ** ${p}`}`,
    ),
    line(`torch.distributed.all_reduce(${reduce.join(', ')})  # over all stages`, 'clip'),
    line(`nn.utils.clip_grads_with_norm_(parameters.values(), ${clipGradNorm}, norm${isMost ? '' : ` ** (1 / ${p})`})`),
    ...byValue,
  ];
}
