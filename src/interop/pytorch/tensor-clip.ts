/**
 * Gradient clipping in scripts whose plan cuts layers (tensor.ts): clip_grad_norm_ takes neither DTensors beside plain
 * tensors nor the local parts that DistributedDataParallel makes of DTensors.
 */
import type { Config } from '../../protocol/config';
import { type CodeLine, codeLine as line } from './code-line';

type Clipping = Pick<Config, 'clipGradNorm' | 'clipGradNormType' | 'clipGradValue'>;

interface Gradients {
  /** A Python expression: the parameters by name. */
  readonly parameters: string;
  /** The same, of the parameters whose gradients are in this rank's norm; absent: all. */
  readonly counted?: string | undefined;
  /** Whether the ranks of a pipeline add up the norms of their stages. */
  readonly overStages: boolean;
}

/**
 * Of DTensors and plain tensors: the norm is computed from whole gradients. Partial sums, which sequence parallelism
 * leaves, are added up before, because neither norm nor clipping works on them.
 */
export function clipLinesOfParts(
  config: Clipping,
  { parameters, counted = parameters, overStages }: Gradients,
): readonly CodeLine[] {
  const { clipGradNorm, clipGradValue } = config;
  if ((clipGradNorm ?? clipGradValue) === undefined) return [];
  const { type, power, root } = normOf(config);
  const valuesOf = (name: string) => (name === 'model' ? 'model.parameters()' : `${name}.values()`);
  const values = valuesOf(parameters);
  return [
    line(`for p in ${values}:`),
    line('    if isinstance(p.grad, DTensor):'),
    line('        p.grad = p.grad.redistribute(placements=p.placements)  # sums addends'),
    ...(clipGradNorm === undefined
      ? []
      : [
          line(`grads = [p.grad for p in ${valuesOf(counted)} if p.grad is not None]`, 'clip'),
          line('whole = [g.full_tensor() if isinstance(g, DTensor) else g for g in grads]'),
          ...(overStages
            ? [line(`norm = nn.utils.get_total_norm(whole${type}).to(device)${power}`), ...stagesLine(config), ...root]
            : [line(`norm = nn.utils.get_total_norm(whole${type})`)]),
          ...(counted === parameters
            ? [line('for grad in grads:')]
            : [line(`for grad in [p.grad for p in ${values} if p.grad is not None]:`)]),
          line(`    grad.mul_(min(1, ${clipGradNorm} / (norm.item() + 1e-6)))`),
        ]),
    ...byValue(clipGradValue, values),
  ];
}

/** Before DistributedDataParallel, which keeps the local parts of DTensors: the names of cut parameters. */
export const CUT_NAMES =
  'cut = {name for name, p in model.named_parameters() if isinstance(p, DTensor) and p.placements[0].is_shard()}';

/** Of local parts, named in `cut`, and whole tensors. */
export function clipLinesOfLocals(
  config: Clipping,
  { parameters, counted = parameters, overStages }: Gradients,
): readonly CodeLine[] {
  const { clipGradNorm, clipGradNormType, clipGradValue } = config;
  const { type, power, root } = normOf(config);
  const gradients = (test: string) => `[g for name, g in grads.items() if ${test}]`;
  const whole = `nn.utils.get_total_norm(${gradients('name not in cut')}${type})`;
  return [
    ...(clipGradNorm === undefined
      ? []
      : [
          line(`grads = {name: p.grad for name, p in ${counted}.items() if p.grad is not None}`),
          line(`norm = nn.utils.get_total_norm(${gradients('name in cut')}${type}).to(device)${power}`),
          line(`torch.distributed.all_reduce(${reduced(config, 'tp')})  # over the parts of each layer`),
          line(clipGradNormType === 'inf' ? `norm = norm.maximum(${whole})` : `norm += ${whole}${power}`),
          ...(overStages ? stagesLine(config) : []),
          ...root,
          line(`nn.utils.clip_grads_with_norm_(${parameters}.values(), ${clipGradNorm}, norm, foreach=False)`, 'clip'),
        ]),
    ...byValue(clipGradValue, `${parameters}.values()`),
  ];
}

/** The argument of get_total_norm, and the powers around a sum over ranks: norms add up as powers, maxima do not. */
function normOf({ clipGradNormType: p = 2 }: Clipping) {
  if (p === 'inf') return { type: ", norm_type=float('inf')", power: '', root: [] };
  return {
    type: p === 2 ? '' : `, norm_type=${p}`,
    power: ` ** ${p}`,
    root: [line(`norm = norm ** (1 / ${p})`)],
  };
}

const reduced = ({ clipGradNormType }: Clipping, axis: 'tp' | 'pp'): string =>
  `norm${clipGradNormType === 'inf' ? ', torch.distributed.ReduceOp.MAX' : ''}, group=mesh.get_group('${axis}')`;

const stagesLine = (config: Clipping): readonly CodeLine[] => [
  line(`torch.distributed.all_reduce(${reduced(config, 'pp')})  # over all stages`),
];

const byValue = (value: number | undefined, values: string): readonly CodeLine[] =>
  value === undefined ? [] : [line(`nn.utils.clip_grad_value_(${values}, ${value}, foreach=False)`, 'clip_value')];
