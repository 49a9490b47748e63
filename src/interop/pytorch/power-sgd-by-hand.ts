/**
 * PowerSGD without DistributedDataParallel, for schedules whose backward passes run in halves: the script puts the
 * gradients of each stage into buckets and calls torch's hook itself. Called by the pipeline's listing.
 */
import type { Config } from '../../protocol/config';
import { powerSGDState } from './comm-hooks';

interface Gradients {
  /** A Python expression: the replicas. */
  readonly group: string;
  /** Gradients may be DTensors. */
  readonly cut: boolean;
  /** The script averages shared weights itself: is_averaged(p). */
  readonly leavesOut: boolean;
}

/** Definitions before the loop. */
export function gradientBuckets({ ddp }: Config, { group, cut, leavesOut }: Gradients): readonly string[] {
  const { commHook: hook, bucketCapMb } = ddp;
  if (hook.type !== 'powerSGD') return [];
  const limits = bucketCapMb === undefined ? '2**20, 25 * 2**20' : `int(${bucketCapMb} * 2**20)`;
  const local = (tensor: string): string => (cut ? `local(${tensor})` : tensor);
  return [
    ...(cut
      ? [
          'def local(tensor):',
          '    return tensor.to_local() if isinstance(tensor, DTensor) else tensor',
          'def laid_out(p):  # the gradient of an embedding is whole, and of a layer norm it may be an addend',
          '    if isinstance(p.grad, DTensor):',
          '        p.grad = p.grad.redistribute(placements=p.placements)',
          '    return p.grad',
        ]
      : []),
    'class GradientBucket:  # as DistributedDataParallel hands it to a hook',
    '    def __init__(self, number, parameters, last):',
    '        self.number, self.own, self.last = number, parameters, last',
    `        grads = [${cut ? 'local(laid_out(p))' : 'p.grad'} for p in parameters]`,
    '        self.flat = torch.cat([g.flatten() for g in grads])',
    '        parts = self.flat.split([g.numel() for g in grads])',
    '        self.parts = [part.view_as(g) for part, g in zip(parts, grads)]',
    '    def index(self):',
    '        return self.number',
    '    def is_last(self):',
    '        return self.last',
    '    def buffer(self):',
    '        return self.flat',
    '    def gradients(self):',
    '        return self.parts',
    '    def parameters(self):',
    '        return self.own',
    'def compress_gradients():',
    '    for module, state in zip(modules, states):',
    '        own = [p for p in module.parameters() if p.grad is not None]',
    ...(leavesOut ? ['        own = [p for p in own if not is_averaged(p)]'] : []),
    '        if len(own) == 0:',
    '            continue',
    `        sizes = [${local('p')} for p in reversed(own)]`,
    `        buckets, _ = torch.distributed._compute_bucket_assignment_by_size(sizes, [${limits}])`,
    '        for number, members in enumerate(buckets):',
    '            parameters = [own[-1 - i] for i in members]',
    '            bucket = GradientBucket(number, parameters, number == len(buckets) - 1)',
    '            powerSGD_hook(state, bucket).wait()',
    '            for p, part in zip(parameters, bucket.gradients()):',
    `                ${local('p.grad')}.copy_(part)`,
    'states = [',
    ...powerSGDState(hook, group).map((text) => `    ${text}`),
    '    for _ in modules',
    ']',
  ];
}
