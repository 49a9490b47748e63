/**
 * The calls of torch.distributed on tensors, with their arguments in its order: calls/ checks each call, and Dist,
 * which extends this class, issues it. With `asyncOp: true` they return a Work, otherwise a promise.
 */
import type { ReduceOp } from '../protocol/collective';
import { type CallSite, callSite } from './call-site';
import type { Members } from './calls/check-arguments';
import * as calls from './calls/collectives';
import type { Prepared } from './process-group';
import type { Tensor } from './tensor';
import type { Work } from './work';

/** A group of ranks, also as seen by non-members. */
export interface CallGroup {
  readonly name: string;
  readonly ranks: readonly number[];
}

export interface CallOptions {
  /** Default: the world. */
  readonly group?: CallGroup;
  /** The line of the call ("train.py:12"), if it is not the calling line. */
  readonly site?: string;
}
type Reducing = CallOptions & { readonly op?: ReduceOp };
type Async<T> = T & { readonly asyncOp: true };
export type MaybeAsync<T> = T & { readonly asyncOp?: boolean };
export type PeerOptions = CallOptions & { readonly tag?: number };

/** An entry of batchIsendIrecv, as torch's P2POp. */
export interface P2POp {
  readonly op: 'isend' | 'irecv';
  readonly tensor: Tensor;
  readonly peer: number;
  readonly tag?: number;
  readonly group?: CallGroup;
}

export type PeerWork = Work & { readonly peer?: number };

export abstract class DistCalls {
  /** `called`: the function whose caller is the line of the call. */
  protected abstract issue(
    called: (...args: never[]) => unknown,
    options: MaybeAsync<CallOptions> & { readonly timeoutMs?: number | undefined },
    prepare: (members: Members) => Prepared,
  ): Work | Promise<void>;

  protected abstract peer(
    kind: 'send' | 'recv',
    tensor: Tensor,
    peer: number | undefined,
    options: PeerOptions,
    site: CallSite | undefined,
  ): PeerWork;

  /** Global ranks of a group. */
  protected abstract ranksOf(group: CallGroup | undefined): readonly number[];

  barrier(options: Async<CallOptions>): Work;
  barrier(options?: CallOptions): Promise<void>;
  barrier(options: MaybeAsync<CallOptions> = {}): Work | Promise<void> {
    return this.issue(this.barrier, options, () => calls.barrier('BARRIER'));
  }

  /** A barrier whose error, on rank 0, names the missing ranks. */
  monitoredBarrier({ timeoutS, ...options }: CallOptions & { readonly timeoutS?: number } = {}): Promise<void> {
    return this.issue(
      this.monitoredBarrier,
      { ...options, timeoutMs: timeoutS === undefined ? undefined : 1000 * timeoutS },
      () => calls.barrier('MONITORED_BARRIER'),
    ) as Promise<void>;
  }

  allReduce(tensor: Tensor, options: Async<Reducing>): Work;
  allReduce(tensor: Tensor, options?: Reducing): Promise<void>;
  allReduce(tensor: Tensor, options: MaybeAsync<Reducing> = {}): Work | Promise<void> {
    return this.issue(this.allReduce, options, () => calls.allReduce(tensor, options.op ?? 'sum'));
  }

  broadcast(tensor: Tensor, src: number, options: Async<CallOptions>): Work;
  broadcast(tensor: Tensor, src: number, options?: CallOptions): Promise<void>;
  broadcast(tensor: Tensor, src: number, options: MaybeAsync<CallOptions> = {}): Work | Promise<void> {
    return this.issue(this.broadcast, options, (members) => calls.broadcast(members, tensor, src));
  }

  reduce(tensor: Tensor, dst: number, options: Async<Reducing>): Work;
  reduce(tensor: Tensor, dst: number, options?: Reducing): Promise<void>;
  reduce(tensor: Tensor, dst: number, options: MaybeAsync<Reducing> = {}): Work | Promise<void> {
    return this.issue(this.reduce, options, (members) => calls.reduce(members, tensor, dst, options.op ?? 'sum'));
  }

  scatter(tensor: Tensor, scatterList: readonly Tensor[] | undefined, src: number, options: Async<CallOptions>): Work;
  scatter(tensor: Tensor, scatterList?: readonly Tensor[], src?: number, options?: CallOptions): Promise<void>;
  scatter(
    tensor: Tensor,
    scatterList?: readonly Tensor[],
    src = 0,
    options: MaybeAsync<CallOptions> = {},
  ): Work | Promise<void> {
    return this.issue(this.scatter, options, (members) => calls.scatter(members, tensor, scatterList, src));
  }

  gather(tensor: Tensor, gatherList: readonly Tensor[] | undefined, dst: number, options: Async<CallOptions>): Work;
  gather(tensor: Tensor, gatherList?: readonly Tensor[], dst?: number, options?: CallOptions): Promise<void>;
  gather(
    tensor: Tensor,
    gatherList?: readonly Tensor[],
    dst = 0,
    options: MaybeAsync<CallOptions> = {},
  ): Work | Promise<void> {
    return this.issue(this.gather, options, (members) => calls.gather(members, tensor, gatherList, dst));
  }

  allGather(tensorList: readonly Tensor[], tensor: Tensor, options: Async<CallOptions>): Work;
  allGather(tensorList: readonly Tensor[], tensor: Tensor, options?: CallOptions): Promise<void>;
  allGather(
    tensorList: readonly Tensor[],
    tensor: Tensor,
    options: MaybeAsync<CallOptions> = {},
  ): Work | Promise<void> {
    return this.issue(this.allGather, options, (members) => calls.allGather(members, tensorList, tensor));
  }

  allGatherIntoTensor(output: Tensor, input: Tensor, options: Async<CallOptions>): Work;
  allGatherIntoTensor(output: Tensor, input: Tensor, options?: CallOptions): Promise<void>;
  allGatherIntoTensor(output: Tensor, input: Tensor, options: MaybeAsync<CallOptions> = {}): Work | Promise<void> {
    return this.issue(this.allGatherIntoTensor, options, (members) =>
      calls.allGatherIntoTensor(members, output, input),
    );
  }

  reduceScatter(output: Tensor, inputList: readonly Tensor[], options: Async<Reducing>): Work;
  reduceScatter(output: Tensor, inputList: readonly Tensor[], options?: Reducing): Promise<void>;
  reduceScatter(
    output: Tensor,
    inputList: readonly Tensor[],
    options: MaybeAsync<Reducing> = {},
  ): Work | Promise<void> {
    return this.issue(this.reduceScatter, options, (members) =>
      calls.reduceScatter(members, output, inputList, options.op ?? 'sum'),
    );
  }

  reduceScatterTensor(output: Tensor, input: Tensor, options: Async<Reducing>): Work;
  reduceScatterTensor(output: Tensor, input: Tensor, options?: Reducing): Promise<void>;
  reduceScatterTensor(output: Tensor, input: Tensor, options: MaybeAsync<Reducing> = {}): Work | Promise<void> {
    return this.issue(this.reduceScatterTensor, options, (members) =>
      calls.reduceScatterTensor(members, output, input, options.op ?? 'sum'),
    );
  }

  allToAll(outputList: readonly Tensor[], inputList: readonly Tensor[], options: Async<CallOptions>): Work;
  allToAll(outputList: readonly Tensor[], inputList: readonly Tensor[], options?: CallOptions): Promise<void>;
  allToAll(
    outputList: readonly Tensor[],
    inputList: readonly Tensor[],
    options: MaybeAsync<CallOptions> = {},
  ): Work | Promise<void> {
    return this.issue(this.allToAll, options, (members) => calls.allToAll(members, outputList, inputList));
  }

  allToAllSingle(output: Tensor, input: Tensor, options: Async<CallOptions>): Work;
  allToAllSingle(output: Tensor, input: Tensor, options?: CallOptions): Promise<void>;
  allToAllSingle(output: Tensor, input: Tensor, options: MaybeAsync<CallOptions> = {}): Work | Promise<void> {
    return this.issue(this.allToAllSingle, options, (members) => calls.allToAllSingle(members, output, input));
  }

  /** Resolves when the receiver has called recv. */
  async send(tensor: Tensor, dst: number, options: PeerOptions = {}): Promise<void> {
    await this.peer('send', tensor, dst, options, callSite(this.send, options.site)).wait();
  }

  /** `src` undefined: from any rank. Resolves with the global rank of the sender. */
  async recv(tensor: Tensor, src?: number, options: PeerOptions = {}): Promise<number> {
    const work = this.peer('recv', tensor, src, options, callSite(this.recv, options.site));
    await work.wait();
    return this.ranksOf(options.group)[work.peer ?? -1] ?? -1;
  }

  isend(tensor: Tensor, dst: number, options: PeerOptions = {}): Work {
    return this.peer('send', tensor, dst, options, callSite(this.isend, options.site));
  }

  irecv(tensor: Tensor, src?: number, options: PeerOptions = {}): Work {
    return this.peer('recv', tensor, src, options, callSite(this.irecv, options.site));
  }

  /** Issues all operations before it waits for one of them, so no order of sends and receives can block. */
  batchIsendIrecv(ops: readonly P2POp[]): Work[] {
    const site = callSite(this.batchIsendIrecv);
    return ops.map(({ op, tensor, peer, ...options }) =>
      this.peer(op === 'isend' ? 'send' : 'recv', tensor, peer, options, site),
    );
  }
}
