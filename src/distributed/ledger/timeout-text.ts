/** The message of a timeout: first the backend's sentence in PyTorch, then which rank waits for which. */
import type { LockstepError } from '../../base/errors';
import type { Backend } from '../../protocol/process-group';
import { elements } from '../../tensor/shape';
import { torchError } from '../torch-error';
import type { LedgerCollective } from './calls';

export interface Waited {
  /** "rank 0 waits in all_reduce (seq 3) at train.ts:12", one sentence per rank. */
  readonly waiting: readonly string[];
  /** What the missing ranks do instead. */
  readonly missing: readonly string[];
  readonly timeoutMs: number;
  /** Global ranks that are missing. */
  readonly absent: readonly number[];
}

const HINT = 'Every rank of the group must make the same call. A longer timeout helps only where a rank is slow.';

const detailed = (text: string, { waiting, missing, absent }: Waited): LockstepError =>
  torchError('RuntimeError', `${text}: ${[...waiting, ...missing].join('; ')}.`, HINT, { absent }, 'timeout');

export function timeoutText(rank: number, call: LedgerCollective, backend: Backend, waited: Waited): LockstepError {
  const { seq, fingerprint } = call;
  const ms = Math.round(waited.timeoutMs);
  const gloo = `Timed out waiting ${ms}ms for recv operation to complete`;
  if (fingerprint.opType === 'MONITORED_BARRIER') {
    const late = waited.absent;
    if (rank === 0 || late.includes(0))
      return detailed(
        `[Rank ${rank}]: ${late.length === 1 ? 'Rank' : 'Ranks'} ${late.join(', ')} failed to pass monitoredBarrier in ${ms} ms\n Original exception: \n${gloo}`,
        waited,
      );
    return detailed(
      `Rank ${rank} successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank`,
      waited,
    );
  }
  if (backend === 'gloo') return detailed(gloo, waited);
  const n = fingerprint.shapes.reduce((sum, shape) => sum + elements(shape), 0);
  return detailed(
    `Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${seq}, OpType=${fingerprint.opType}, NumelIn=${n}, Timeout(ms)=${ms}) ran for ${ms} milliseconds before timing out`,
    waited,
  );
}

export const peerTimeout = (kind: 'send' | 'recv', waited: Waited): LockstepError =>
  detailed(`Timed out waiting ${Math.round(waited.timeoutMs)}ms for ${kind} operation to complete`, waited);
