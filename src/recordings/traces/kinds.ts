/**
 * Decides the kind of a span from its name and category: Kineto's categories (libkineto/include/ActivityType.h),
 * Lockstep's phases, and those of other tools. Called when a file has been read.
 */
import { SPAN_KINDS, type SpanKind } from '../spans';
import type { CollectiveFacts } from './collective-facts';
import { collectiveSpan, looselyCollective } from './collective-names';

const BY_CATEGORY: ReadonlyMap<string, SpanKind> = new Map([
  ['cpu_op', 'operator'],
  ['operator', 'operator'],
  ['kernel', 'kernel'],
  ['mtia_ccp_events', 'kernel'],
  ['gpu_memcpy', 'copy'],
  ['gpu_memset', 'copy'],
  ['cuda_runtime', 'launch'],
  ['cuda_driver', 'launch'],
  ['xpu_runtime', 'launch'],
  ['mtia_runtime', 'launch'],
  ['privateuse1_runtime', 'launch'],
  ['cuda_sync', 'other'],
  ['overhead', 'other'],
  ['trace', 'other'],
  ['python_function', 'python'],
  ['user_annotation', 'annotation'],
  ['gpu_user_annotation', 'annotation'],
]);

export const STEP_NAME = /^ProfilerStep#(\d{1,9})$/;
/** torch's own name of a DataLoader's span, and usual names for a bracket around a loader. */
const LOADER = /enumerate\(DataLoader\)|data_?load|loader|(get|next|fetch|load|read)_?(data|batch)|input_pipeline/i;
/** Operators that only hand a tensor to a process group; another span is the transfer. */
const LAUNCH = /^(c10d(_functional)?::|_c10d_functional::|record_param_comms$|nccl:)/;

export function kindOf(name: string, category: string, facts: CollectiveFacts | undefined): SpanKind {
  if (STEP_NAME.test(name)) return 'step';
  if (facts?.lockstep) {
    if (/^(send|recv) (to|from) /.test(name)) return 'collective';
    return facts.lockstep.phase === 'data' ? 'loader' : 'kernel';
  }
  const kind = BY_CATEGORY.get(category.toLowerCase());
  // The bracket that Kineto draws on the GPU around a collective's kernel is not a second collective.
  if (category === 'gpu_user_annotation') return 'annotation';
  if (kind === 'kernel' ? facts?.kind !== undefined : collectiveSpan(name) !== undefined) return 'collective';
  if (LAUNCH.test(name)) return 'launch';
  if (kind === 'annotation' || kind === undefined) {
    if (LOADER.test(name)) return 'loader';
    return kind ?? (looselyCollective(name) === undefined ? 'operator' : 'collective');
  }
  return kind;
}

export const kindIndex = (kind: SpanKind): number => SPAN_KINDS.indexOf(kind);
