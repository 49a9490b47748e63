/**
 * One rank's end of a process group: numbers its calls, enters them in the ledger, lets the backend carry them out and
 * records them. Knows no argument checks (calls/ does them) and no other group. Called by Dist.
 */
import type { LockstepError } from '../base/errors';
import { callName, type Fingerprint } from '../program/fingerprint';
import type { AlgorithmName } from '../protocol/collective';
import type { HostArray } from '../tensor/shape';
import type { CollectiveRequest, GroupBackend } from './backends/group-backend';
import type { CallSite } from './call-site';
import type { FlightRecorder, Issued } from './flight-recorder';
import type { Ledger, LedgerPass, PeerCall } from './ledger/calls';
import type { Tensor } from './tensor';
import { Work } from './work';

/** A collective whose arguments have been checked. */
export interface Prepared {
  readonly fingerprint: Fingerprint;
  /** The backend's request; undefined: the ranks only wait for each other. */
  readonly request?: Pick<CollectiveRequest, 'op' | 'dtype' | 'length' | 'root' | 'reduceOp'>;
  readonly input: HostArray;
  readonly output: HostArray;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** Writes the result where the caller wants it. */
  finish?(): void;
}

export interface GroupOptions {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Global ranks of the members. */
  readonly ranks: readonly number[];
  /** Among them. */
  readonly rank: number;
  readonly timeoutMs: number;
  readonly algorithm: AlgorithmName;
  readonly nodes?: readonly (readonly number[])[];
}

export interface IssueOptions {
  readonly site: CallSite | undefined;
  readonly timeoutMs?: number | undefined;
}

export class ProcessGroup {
  private seq = 0;
  private p2pSeq = 0;
  private opened = true;

  constructor(
    readonly options: GroupOptions,
    private readonly ledger: Ledger,
    private readonly backend: GroupBackend,
    private readonly recorder: FlightRecorder,
  ) {
    recorder.addGroup(options.id, options.description, options.ranks);
  }

  get backendName(): GroupBackend['name'] {
    return this.backend.name;
  }

  collective(prepared: Prepared, { site, timeoutMs = this.options.timeoutMs }: IssueOptions): Work {
    const { fingerprint, request, input, output, inputs, outputs } = prepared;
    const { rank, ranks, algorithm, nodes } = this.options;
    const seq = this.seq++;
    const issued = { isP2p: false, inputs, outputs, timeoutMs, site };
    const pass = this.ledger.enter({ rank, seq, fingerprint, timeoutMs, site });
    return this.carryOut(callName(fingerprint.opType), issued, pass, async () => {
      if (request)
        await this.backend.run(
          { ...request, worldSize: ranks.length, algorithm, ...(nodes ? { nodes } : {}) },
          input,
          output,
        );
      prepared.finish?.();
    });
  }

  /** `peer`: rank within the group; undefined: any sender. Resolves with the rank of the sender. */
  pointToPoint(
    kind: 'send' | 'recv',
    tensor: Tensor,
    peer: number | undefined,
    tag: number,
    { site }: IssueOptions,
  ): Work & { readonly peer?: number } {
    const { rank, timeoutMs } = this.options;
    this.p2pSeq++;
    const call: PeerCall = { kind, rank, peer, tag, shape: tensor.shape, dtype: tensor.dtype, timeoutMs, site };
    const [inputs, outputs] = kind === 'send' ? [[tensor], []] : [[], [tensor]];
    const found: { peer?: number } = {};
    const work = this.carryOut(
      kind,
      { isP2p: true, inputs, outputs, timeoutMs, site },
      this.ledger.meet(call),
      async (pass) => {
        const other = pass.peer ?? peer ?? 0;
        found.peer = other;
        const name = `p2p ${tag} ${pass.message ?? 0}`;
        if (kind === 'send') await this.backend.send({ from: rank, to: other, name }, tensor.data);
        else await this.backend.recv({ from: other, to: rank, name }, tensor.data);
      },
    );
    return Object.defineProperty(work, 'peer', { get: () => found.peer }) as Work & { readonly peer?: number };
  }

  close(error: LockstepError): void {
    this.opened = false;
    this.backend.close(error);
  }

  private carryOut(
    call: string,
    issued: Pick<Issued, 'isP2p' | 'inputs' | 'outputs' | 'timeoutMs' | 'site'>,
    passing: Promise<LedgerPass>,
    run: (pass: LedgerPass) => Promise<void>,
  ): Work {
    const { id, name, description } = this.options;
    const record = this.recorder.issued({
      group: { id, name, description },
      profilingName: `${this.backend.name}:${call}`,
      collectiveSeq: this.seq - (issued.isP2p ? 0 : 1),
      p2pSeq: this.p2pSeq,
      ...issued,
    });
    const carried = async (): Promise<void> => {
      try {
        const pass = await passing;
        record.started();
        await run(pass);
        record.completed();
        if (this.opened) await this.ledger.complete(pass.id);
      } catch (error) {
        record.retired();
        throw error;
      }
    };
    return new Work(carried());
  }
}
