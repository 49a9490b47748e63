/**
 * The many names of a collective: spans of gloo ("gloo:all_reduce"), NCCL's kernels
 * ("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), torch's "Collective name" ("allreduce", "_allgather_base"), Lockstep's
 * words ("allReduce"); and how many bytes an element has.
 */
import { lookup } from '../../base/lookup';

/** A backend's prefix on the span of a collective; NCCL's own are kernels, its "nccl:" marks only the launch. */
const BACKEND_SPAN = /^(gloo|mpi|ucc|xccl|hccl|cncl):\s*(\w+)/;
const NCCL_KERNEL = /^(?:void )?(?:nccl|rccl|msccl)(?:Dev)?Kernel_?(?:<)?(?:nccl)?([A-Za-z]+?)(?:_|RING|TREE|\(|$)/;
/** Before NCCL 2.12: "ncclAllReduceRingLLKernel_sum_f32". */
const OLD_KERNEL = /^nccl(AllReduce|AllGather|ReduceScatter|Broadcast|Reduce|SendRecv)[A-Za-z\d]*Kernel/;
/** For traces of other tools, in which no category tells what a span is. */
const LOOSE = /(?:^|[^a-z])(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast)(?:$|[^a-z])/i;

/** The collective of a span, in torch.distributed's words; undefined: not a collective. */
export function collectiveSpan(name: string): string | undefined {
  const backend = BACKEND_SPAN.exec(name)?.[2];
  if (backend !== undefined) return collectiveKind(backend);
  const kernel = (NCCL_KERNEL.exec(name) ?? OLD_KERNEL.exec(name))?.[1];
  return kernel === undefined ? undefined : collectiveKind(kernel);
}

/** Like `collectiveSpan`, but also recognises "NCCL_ALLREDUCE" and "allreduce bucket 3"; not for torch's traces. */
export function looselyCollective(name: string): string | undefined {
  const found = LOOSE.exec(name)?.[1];
  return found === undefined ? undefined : collectiveKind(found);
}

const KINDS: Readonly<Record<string, string>> = {
  allreduce: 'all_reduce',
  allreducebarrier: 'barrier',
  allgather: 'all_gather',
  allgatherintotensor: 'all_gather',
  reducescatter: 'reduce_scatter',
  reducescattertensor: 'reduce_scatter',
  alltoall: 'all_to_all',
  alltoallv: 'all_to_all',
  alltoallsingle: 'all_to_all',
  broadcast: 'broadcast',
  reduce: 'reduce',
  gather: 'gather',
  scatter: 'scatter',
  barrier: 'barrier',
  send: 'send',
  recv: 'recv',
  sendrecv: 'send_recv',
};

/** all_gather for "_allgather_base", "AllGather", "all_gather_into_tensor_coalesced". An unknown name is unchanged. */
export function collectiveKind(name: string): string {
  const plain = name.replace(/_?(base|oop|coalesced|single)$/i, '').replace(/_?(base|oop|coalesced)$/i, '');
  return lookup(KINDS, plain.replaceAll('_', '').toLowerCase()) ?? name;
}

const BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  byte: 1,
  char: 1,
  int8: 1,
  uint8: 1,
  float8_e4m3fn: 1,
  float8_e5m2: 1,
  half: 2,
  'c10::half': 2,
  float16: 2,
  bfloat16: 2,
  'c10::bfloat16': 2,
  short: 2,
  int16: 2,
  float: 4,
  float32: 4,
  int: 4,
  int32: 4,
  'unsigned int': 4,
  double: 8,
  float64: 8,
  long: 8,
  'long int': 8,
  int64: 8,
  'unsigned char': 1,
  'signed char': 1,
  complexfloat: 8,
  complexdouble: 16,
};

/** The bytes of one element; 0: not known. */
export const bytesOf = (dtype: string): number => lookup(BYTES, dtype) ?? 0;
