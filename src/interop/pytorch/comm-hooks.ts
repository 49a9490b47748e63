/**
 * ddp.commHook and ddp.syncBatchNorm in the listing: conversion before the wrapper, register_comm_hook after it, the
 * optimiser that averages parameters. Called by script.ts.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { codeLine as line } from './code-line';
import { indented } from './loop';

type PowerSGD = Extract<Config['ddp']['commHook'], { type: 'powerSGD' }>;

const HOOKS = 'torch.distributed.algorithms.ddp_comm_hooks';
const ON_CUDA = '# on CUDA only: "SyncBatchNorm layers only work with GPU modules"';
const truth = (value: boolean): string => (value ? 'True' : 'False');

/** `averages`: the script averages parameters by hand. */
export function hookImports({ ddp }: Config, averages = false): readonly string[] {
  switch (ddp.commHook.type) {
    case 'allreduce':
      return [];
    case 'fp16Compress':
    case 'bf16Compress':
      return [`from ${HOOKS} import default_hooks`];
    case 'powerSGD':
      return [`from ${HOOKS}.powerSGD_hook import PowerSGDState, powerSGD_hook`];
    case 'localSGD':
      return [
        `from ${HOOKS}.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook`,
        ...(averages
          ? []
          : [
              'from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager',
              'from torch.distributed.optim import PostLocalSGDOptimizer',
            ]),
      ];
  }
}

/** Before the stages of a pipeline are wrapped. */
export const stageSyncLines = ({ ddp }: Config, group: string): readonly string[] =>
  ddp.syncBatchNorm
    ? [
        ON_CUDA,
        'modules = [',
        `    nn.SyncBatchNorm.convert_sync_batchnorm(module, process_group=${group})`,
        '    for module in modules',
        ']',
      ]
    : [];

/** Before the model is wrapped. `group`: the ranks over which batch norms take statistics; absent: all ranks. */
export function syncLines({ ddp }: Pick<Config, 'ddp'>, group?: string): readonly CodeLine[] {
  const argument = group === undefined ? '' : `, process_group=${group}`;
  return ddp.syncBatchNorm
    ? [line(ON_CUDA), line(`model = nn.SyncBatchNorm.convert_sync_batchnorm(model${argument})`)]
    : [];
}

/**
 * Over gloo a thread of its own sends what PowerSGD sends after its first message, in no order with the next bucket's
 * first message and with the search for unused parameters. Ranks with other orders hang or stop.
 */
const IN_ORDER: readonly string[] = [
  'def in_order(state, bucket):',
  '    future = powerSGD_hook(state, bucket)',
  "    if device.type == 'cpu':",
  '        future.wait()  # gloo sends from another thread: ranks would send in different orders',
  '    return future',
];

/** Lines before the model is wrapped: functions that the lines after it use. */
export const hookFunctions = ({ ddp }: Config): readonly string[] => (ddp.commHook.type === 'powerSGD' ? IN_ORDER : []);

/** A Python expression on two lines. */
export const powerSGDState = (hook: PowerSGD, group: string): readonly string[] => [
  `PowerSGDState(${group}, matrix_approximation_rank=${hook.matrixApproximationRank}, start_powerSGD_iter=${hook.startPowerSGDIter},`,
  `    min_compression_rate=${hook.minCompressionRate}, use_error_feedback=${truth(hook.useErrorFeedback)}, warm_start=${truth(hook.warmStart)})`,
];

/**
 * Lines after the model is wrapped. `wrapper`: the variable; `group`: ranks whose gradients are averaged, None: all.
 */
export function hookLines({ ddp }: Config, wrapper = 'model', group = 'None'): readonly CodeLine[] {
  const { commHook: hook } = ddp;
  switch (hook.type) {
    case 'allreduce':
      return [];
    case 'fp16Compress':
      return [line(`${wrapper}.register_comm_hook(${group}, default_hooks.fp16_compress_hook)`)];
    case 'bf16Compress':
      return [line(`${wrapper}.register_comm_hook(${group}, default_hooks.bf16_compress_hook)`)];
    case 'powerSGD':
      return [
        ...powerSGDState(hook, group).map((text, i) => line(i === 0 ? `state = ${text}` : text)),
        line(`${wrapper}.register_comm_hook(state, in_order)`),
      ];
    case 'localSGD':
      return [
        line(
          `state = PostLocalSGDState(${group}, None, ${hook.startLocalSGDIter}, post_local_gradient_allreduce=False)`,
        ),
        line(`${wrapper}.register_comm_hook(state, post_localSGD_hook)`),
      ];
  }
}

/** Lines after the optimiser. `group`: ranks over which parameters are averaged; absent: all. */
export function averagerLines({ ddp }: Config, group?: string): readonly CodeLine[] {
  if (ddp.commHook.type !== 'localSGD') return [];
  const { period, startLocalSGDIter } = ddp.commHook;
  return [
    line(
      `optimizer = PostLocalSGDOptimizer(optimizer, PeriodicModelAverager(${period}, warmup_steps=${startLocalSGDIter}${group === undefined ? '' : `, process_group=${group}`}))`,
    ),
  ];
}

/** Within optimizer.step(). */
export const averageLine = ({ ddp }: Config): readonly CodeLine[] =>
  ddp.commHook.type === 'localSGD'
    ? [line(`#   every ${ddp.commHook.period} steps: parameters averaged over the ranks`, 'average')]
    : [];

/** Before the loop, for localSGD without PostLocalSGDOptimizer. */
export const countedUpdates = ({ ddp }: Config): readonly CodeLine[] =>
  ddp.commHook.type === 'localSGD' ? [line('updates = 0')] : [];

/**
 * After optimizer.step(): what PostLocalSGDOptimizer does, but in the memory that the parameters have. `cut`:
 * parameters may be DTensors.
 */
export function averageParametersByHand(
  { ddp: { commHook: hook } }: Config,
  { dp, group, cut }: { readonly dp: number; readonly group: string; readonly cut: boolean },
): readonly CodeLine[] {
  if (hook.type !== 'localSGD') return [];
  const { period, startLocalSGDIter: start } = hook;
  const due = [
    ...(start > 0 ? [`updates >= ${start}`] : []),
    ...(period > 1 ? [`${start > 0 ? `(updates - ${start})` : 'updates'} % ${period} == 0`] : []),
  ].join(' and ');
  const body = [
    line('for p in parameters.values():  # as PeriodicModelAverager, which takes no DTensors and moves parameters'),
    line(`    part = ${cut ? '(p.to_local() if isinstance(p, DTensor) else p)' : 'p'}.detach()`),
    line(`    part /= ${dp}`),
    line(`    torch.distributed.all_reduce(part, group=${group})`, 'average'),
  ];
  return [...(due === '' ? body : [line(`if ${due}:`), ...indented(1, body)]), line('updates += 1')];
}

/** Hooks whose state a checkpoint does not have in torch's form. */
export const keepsState = ({ ddp }: Config): boolean =>
  ddp.commHook.type === 'powerSGD' || ddp.commHook.type === 'localSGD';
