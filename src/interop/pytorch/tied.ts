/**
 * The lines of a script for weights that modules share, where one parameter cannot be in all of these modules: they are
 * on several ranks, or a wrapper gave each module a parameter of its own. The parameters add up their gradients before
 * each step, so that they stay equal. Called by the listings of pipelines and of tensor groups.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { codeLine as line } from './code-line';
import { layout, python } from './python';

export interface TiedWeight {
  /** The names of the parameters, first the name that the run gives the weight. */
  readonly names: readonly string[];
  /** Groups of ranks that have the weight; a rank is in one of them. None: the modules are on one rank. */
  readonly groups: readonly (readonly number[])[];
  /** Whether a rank may have several of the parameters. */
  readonly severalOnRank: boolean;
}

/** The names of the copies, each with the name that the run gives the weight. */
export const copiesOfTied = (tied: readonly TiedWeight[]): ReadonlyMap<string, string> =>
  new Map(tied.flatMap(({ names: [source = '', ...others] }) => others.map((name) => [name, source] as const)));

/** Lines after the parameters have their final form, in the dictionary `parameters`. */
export function tiedLines({ clipGradNorm }: Config, tied: readonly TiedWeight[]): readonly string[] {
  if (tied.length === 0) return [];
  const counts = clipGradNorm !== undefined;
  const [across, several] = [tied.some(({ groups }) => groups.length > 0), tied.some((one) => one.severalOnRank)];
  return [
    ...(counts ? ['once = parameters  # the norm of the gradients counts a shared weight once'] : []),
    ...(several ? ['copies = []  # of a shared weight on this rank'] : []),
    ...(across ? ['tied = []  # shared weights, and the ranks that have a copy'] : []),
    ...tied.flatMap(({ names, groups, severalOnRank }) => {
      const items = groups.map((ranks) => `[${ranks.join(', ')}]`);
      const call = 'group, _ = torch.distributed.new_subgroups_by_enumeration(';
      const repeated = [
        ...(groups.length > 0 ? ['torch.distributed.get_rank(group) > 0'] : []),
        ...(severalOnRank ? ['name in shared[1:]'] : []),
      ];
      return [
        ...(groups.length > 0 ? layout(call, { open: '[', items, close: ']' }, ')') : []),
        `shared = [name for name in [${names.map(python).join(', ')}] if name in parameters]`,
        ...(groups.length > 0 ? ['tied += [(parameters[name], group) for name in shared]'] : []),
        ...(severalOnRank ? ['copies += [[parameters[name] for name in shared]]'] : []),
        ...(counts
          ? [
              'once = {',
              '    name: p for name, p in once.items()',
              `    if name not in shared or not (${repeated.join(' or ')})`,
              '}',
            ]
          : []),
      ];
    }),
  ];
}

/** The script averages the gradients of the parameters in `averaged` over so many replicas. */
interface Averages {
  readonly dp: number;
  readonly group: string;
  /** Gradients may be DTensors. */
  readonly cut: boolean;
}

/** Lines after the last backward pass of a step. `cut`: parameters may be DTensors. */
export function tiedSums(
  tied: readonly TiedWeight[],
  { cut, averages }: { readonly cut: boolean; readonly averages?: Averages },
): readonly CodeLine[] {
  return [
    ...(averages
      ? [
          line('for p in averaged:'),
          ...(averages.cut ? [line('    grad = p.grad.to_local() if isinstance(p.grad, DTensor) else p.grad')] : []),
          line(
            `    torch.distributed.all_reduce(${averages.cut ? 'grad' : 'p.grad'}, group=${averages.group})`,
            'allreduce',
          ),
          line(`    ${averages.cut ? 'grad' : 'p.grad'} /= ${averages.dp}`),
        ]
      : []),
    ...(tied.some((one) => one.severalOnRank)
      ? [
          line('for own in copies:  # of a shared weight'),
          line('    total = sum(p.grad for p in own)'),
          line('    for p in own:'),
          line('        p.grad.copy_(total)', 'tied_weights'),
        ]
      : []),
    ...(tied.some(({ groups }) => groups.length > 0)
      ? [
          line('for p, group in tied:  # as in the embedding group of Megatron-LM'),
          ...(cut
            ? [
                line('    part = p.grad'),
                line('    if isinstance(part, DTensor):  # the gradient of an embedding is whole'),
                line('        p.grad = part = part.redistribute(placements=p.placements)'),
                line('        part = part.to_local()'),
              ]
            : []),
          line(`    torch.distributed.all_reduce(${cut ? 'part' : 'p.grad'}, group=group)`, 'tied_weights'),
        ]
      : []),
  ];
}
