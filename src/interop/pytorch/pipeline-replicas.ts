/**
 * The lines that average gradients among the replicas of a rank's stages: DistributedDataParallel around their modules,
 * with hooks, or what the script averages by hand. Called by the pipeline's listing.
 */
import type { Config } from '../../protocol/config';
import { hookFunctions, hookLines, stageSyncLines } from './comm-hooks';
import { type Averaging, DP_GROUP, OWN_PARAMETERS, type PipelineShape } from './pipeline';
import { gradientBuckets } from './power-sgd-by-hand';
import { python } from './python';

/** Hooks with a state count reductions, and in the first step torch also reduces the first of several micro-batches. */
function stageHookLines(config: Config): readonly string[] {
  const lines = hookLines(config, 'module', DP_GROUP).map(({ text }) => text);
  if (lines.length < 2 || config.pipeline.microBatches === 1) return lines;
  return [...lines.slice(0, -1), 'state.iter = -1  # torch reduces twice in the first step', ...lines.slice(-1)];
}

/**
 * Around the modules of the rank. `leftOut`: names of shared weights whose gradients the script averages itself.
 * `bareStages`: whether a stage has no parameters. Where tensor groups cut layers, the dictionary of parameters comes
 * after everything that replaces parameters.
 */
export function replicaLines(
  config: Config,
  { tp }: PipelineShape,
  {
    averaging,
    leftOut,
    bareStages,
  }: { readonly averaging: Averaging; readonly leftOut: readonly string[]; readonly bareStages: boolean },
): readonly string[] {
  const { ddp } = config;
  const own = tp > 1 ? OWN_PARAMETERS : [];
  if (averaging === 'byHand')
    return [
      ...stageSyncLines(config, DP_GROUP),
      '# no DistributedDataParallel: torch computes weight gradients (W) without its hooks, so it would average none',
      ...own,
      ...(leftOut.length > 0 ? sharedLines(leftOut) : []),
      ...gradientBuckets(config, { group: DP_GROUP, cut: tp > 1, leavesOut: leftOut.length > 0 }),
    ];
  if (averaging === 'none' || averaging === 'shards') return own;
  const args = [
    'module',
    // Only with a mesh does DistributedDataParallel take the local parts of DTensors.
    tp > 1 ? "device_mesh=mesh['dp']" : `process_group=${DP_GROUP}`,
    ...(ddp.bucketCapMb === undefined ? [] : [`bucket_cap_mb=${ddp.bucketCapMb}`]),
    ...(averaging === 'keepsBuckets' || ddp.findUnusedParameters ? ['find_unused_parameters=True'] : []),
    ...(ddp.gradientAsBucketView ? ['gradient_as_bucket_view=True'] : []),
  ];
  const hook = stageHookLines(config);
  const wrapped = leftOut.length > 0 ? 'has_others(module)' : bareStages ? 'has_parameters(module)' : undefined;
  return [
    ...(averaging === 'keepsBuckets'
      ? ['# find_unused_parameters: otherwise torch stops on an assert when it rebuilds buckets in this schedule']
      : []),
    ...stageSyncLines(config, DP_GROUP),
    ...(leftOut.length > 0 ? [...own, ...leaveOut(leftOut)] : []),
    ...(wrapped === 'has_parameters(module)'
      ? [
          'def has_parameters(module):  # DistributedDataParallel refuses a module without parameters',
          '    return any(p.requires_grad for p in module.parameters())',
        ]
      : []),
    ...hookFunctions(config),
    'modules = [',
    `    DistributedDataParallel(${args.join(', ')})`,
    ...(wrapped === undefined ? [] : [`    if ${wrapped} else module`]),
    '    for module in modules',
    ']',
    ...(hook.length > 0
      ? [
          wrapped !== undefined
            ? 'for module in [m for m in modules if isinstance(m, DistributedDataParallel)]:'
            : 'for module in modules:',
          ...hook.map((text) => `    ${text}`),
        ]
      : []),
    ...own,
    ...(tp > 1 && leftOut.length > 0 ? [averagedLine(leftOut)] : []),
  ];
}

const averagedLine = (names: readonly string[]): string =>
  `averaged = [p for name, p in parameters.items() if name in [${names.map(python).join(', ')}]]`;

/** The shared weights that the script averages itself. */
const sharedLines = (names: readonly string[]): readonly string[] => [
  averagedLine(names),
  'def is_averaged(p):',
  '    return any(p is q for q in averaged)',
];

/** Hooks would compress shared weights, and a weight of two modules stops both reducers. */
const leaveOut = (names: readonly string[]): readonly string[] => [
  '# DistributedDataParallel leaves shared weights alone; their gradients are averaged after the step',
  ...sharedLines(names),
  'def has_others(module):',
  '    return not all(is_averaged(p) for p in module.parameters())',
  'for module in modules:',
  '    names = [name for name, p in module.named_parameters(remove_duplicate=False) if is_averaged(p)]',
  '    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(module, names)',
];
