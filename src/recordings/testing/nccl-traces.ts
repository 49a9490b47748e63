/**
 * Kineto traces of a DDP run over NCCL, written by hand after torch's sources (record_param_comms, libkineto's
 * output_json): per rank a CPU thread, a compute stream and NCCL's stream. All times follow from the options, so tests
 * know the expected results.
 */

import type { RecordingFile } from '../recording-file';
import { fileOf } from './files';

export interface NcclOptions {
  readonly ranks?: number;
  readonly steps?: number;
  /** The number of elements of each gradient, in the order of backward. */
  readonly gradients?: readonly number[];
  /** For each bucket, the index of its last gradient plus one. */
  readonly cuts?: readonly number[];
  /** An all-reduce takes latencyUs + bytes / bytesPerUs after the last rank has arrived. */
  readonly latencyUs?: number;
  readonly bytesPerUs?: number;
  /** For each rank, how much later it begins its forward. */
  readonly lateUs?: Readonly<Record<number, number>>;
  /** For each rank, how far its clock is ahead. */
  readonly clockUs?: Readonly<Record<number, number>>;
  readonly host?: (rank: number) => string;
  readonly hasInfo?: boolean;
  readonly hasSequence?: boolean;
  readonly nameOf?: (rank: number) => string;
}

const BASE_NS = '1790857026000000000';
const GRADIENT_US = 100;
const FORWARD_US = 200;
const HANDOVER_US = 10;
const OPTIMIZER_US = 50;
const LAUNCH_US = 5;

export function ncclTraces(options: NcclOptions = {}): readonly RecordingFile[] {
  const { ranks = 2, hasInfo = true, host = (rank) => `node${rank}`, nameOf = (rank) => `rank${rank}.json` } = options;
  const events = eventsOf(options);
  return Array.from({ length: ranks }, (_, rank) => {
    const info = {
      backend: 'nccl',
      rank,
      world_size: ranks,
      pg_count: 1,
      pg_config: [
        { pg_name: '0', pg_desc: 'default_pg', backend_config: 'cuda:nccl', pg_size: ranks, ranks: members(ranks) },
      ],
    };
    const head = {
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA A100-SXM4-40GB' }],
      ...(hasInfo ? { distributedInfo: info } : {}),
      host_name: host(rank),
      displayTimeUnit: 'ms',
    };
    const text = JSON.stringify({ ...head, traceEvents: events[rank], traceName: 'x' });
    // A number that JSON.stringify would round.
    return fileOf(nameOf(rank), text.replace('"traceEvents"', `"baseTimeNanoseconds": ${BASE_NS}, "traceEvents"`));
  });
}

const members = (ranks: number): readonly number[] => Array.from({ length: ranks }, (_, rank) => rank);

function eventsOf({
  ranks = 2,
  steps = 2,
  gradients = [1000, 2000, 3000, 4000],
  cuts = [2, 4],
  latencyUs = 20,
  bytesPerUs = 100,
  lateUs = {},
  clockUs = {},
  hasSequence = true,
}: NcclOptions): readonly (readonly object[])[] {
  const all = members(ranks).map((rank): object[] => {
    const name = (pid: number | string, tid: number | string, label: string): object => ({
      ph: 'M',
      name: 'thread_name',
      pid,
      tid,
      args: { name: label },
    });
    return [
      name(100 + rank, 100 + rank, `thread ${100 + rank} (python)`),
      name(0, 7, 'stream 7 '),
      name(0, 20, 'stream 20 '),
    ];
  });
  let begin = 1000;
  let sequence = 1;
  for (let step = 0; step < steps; step++) {
    const late = (rank: number): number => lateUs[rank] ?? 0;
    const readyUs = (rank: number, k: number): number => begin + late(rank) + FORWARD_US + (k + 1) * GRADIENT_US;
    let free = 0;
    const buckets = cuts.map((end, b) => {
      const from = cuts[b - 1] ?? 0;
      const elements = gradients.slice(from, end).reduce((sum, of) => sum + of, 0);
      // NCCL's stream starts the next kernel when the previous one is done.
      const arrived = members(ranks).map((rank) => Math.max(free, readyUs(rank, end - 1) + HANDOVER_US));
      const doneUs = Math.max(...arrived) + latencyUs + (4 * elements) / bytesPerUs;
      free = doneUs;
      return { elements, arrived, doneUs, sequence: sequence++ };
    });
    const endUs = Math.max(free, ...members(ranks).map((rank) => readyUs(rank, gradients.length - 1))) + OPTIMIZER_US;
    for (const rank of members(ranks)) {
      const add = (
        cat: string,
        label: string,
        tid: number,
        [from, to]: readonly [number, number],
        args: object = {},
      ): void => {
        const isGpu = ['kernel', 'gpu_memcpy', 'gpu_user_annotation'].includes(cat);
        const ts = from + (clockUs[rank] ?? 0);
        all[rank]?.push({ ph: 'X', cat, name: label, pid: isGpu ? 0 : 100 + rank, tid, ts, dur: to - from, args });
      };
      const cpu = 100 + rank;
      add('user_annotation', `ProfilerStep#${step}`, cpu, [begin, endUs]);
      if (late(rank) > 0)
        add('user_annotation', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', cpu, [
          begin,
          begin + late(rank),
        ]);
      const forward = begin + late(rank);
      add('cpu_op', 'aten::linear', cpu, [forward, forward + FORWARD_US / 2], {
        'Input Dims': [
          [8, 8],
          [8, 8],
        ],
      });
      add('kernel', 'ampere_sgemm_32x32_sliced1x4_tn', 7, [forward, forward + FORWARD_US], { stream: 7 });
      gradients.forEach((elements, k) => {
        const ready = readyUs(rank, k);
        add('cpu_op', 'torch::autograd::AccumulateGrad', cpu, [ready - 2, ready], { 'Input Dims': [[elements]] });
        add('kernel', 'ampere_sgemm_64x32_nt', 7, [ready - GRADIENT_US, ready], { stream: 7 });
      });
      buckets.forEach(({ elements, arrived, doneUs, sequence: seq }, b) => {
        const ready = readyUs(rank, (cuts[b] ?? 1) - 1);
        const comms = {
          'Collective name': 'allreduce',
          'In msg nelems': elements,
          'Out msg nelems': elements,
          'Group size': ranks,
          dtype: 'Float',
          'In split size': '[]',
          'Out split size': '[]',
          'Process Group Name': '0',
          'Process Group Description': 'default_pg',
          'Process Group Ranks': `[${members(ranks).join(', ')}]`,
          ...(hasSequence ? { Seq: seq } : {}),
        };
        add('cpu_op', 'c10d::allreduce_', cpu, [ready + 1, ready + 1 + LAUNCH_US]);
        add('cpu_op', 'record_param_comms', cpu, [ready + 2, ready + LAUNCH_US], { ...comms, Rank: rank });
        add('user_annotation', 'nccl:all_reduce', cpu, [ready + 2, ready + LAUNCH_US]);
        add(
          'kernel',
          'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
          20,
          [arrived[rank] ?? 0, doneUs],
          { stream: 20, ...comms },
        );
        add('gpu_user_annotation', 'nccl:all_reduce', 20, [(arrived[rank] ?? 0) - 0.001, doneUs + 0.001]);
      });
      add('kernel', 'multi_tensor_apply_kernel', 7, [endUs - OPTIMIZER_US, endUs], { stream: 7 });
    }
    begin = endUs + 10;
  }
  for (const events of all)
    events.push({
      ph: 'X',
      cat: 'Trace',
      name: 'PyTorch Profiler (0)',
      pid: 'Spans',
      tid: 'PyTorch Profiler',
      ts: 900,
      dur: begin,
      args: { 'Op count': 0 },
    });
  return all;
}
