/**
 * The bytes that DDP sends: the chosen algorithm reduces the gradients of all ranks, and the constructor broadcasts.
 * Called by axes/.
 */
import type { ClosedForm } from '../../protocol/closed-form';
import { tensorBytes } from '../../tensor/shape';
import { closedForm, type FormPass, type RunSizes, sum } from '../closed-form';
import type { HookBytes } from './hook-bytes';
import { HOOK_BYTES, hasOwnBytes } from './rare-parts';

const REDUCTIONS = { speaksOf: 'reductions' } as const;

export function ddpConstructorForm({ devices: n, transfers: { parameterBytes, bufferBytes } }: RunSizes): ClosedForm {
  const bytes = parameterBytes + bufferBytes;
  const perDevice = Array.from({ length: n }, (_, rank) => (rank === 0 ? (n - 1) * bytes : 0));
  return closedForm(perDevice, `rank 0 sends (N-1) × (parameters and buffers); N = ${n}, ${bytes} B`);
}

export function ddpForm(run: RunSizes, pass: FormPass): ClosedForm {
  const { devices: n, config } = run;
  if (n === 1) return closedForm([0], '0: one rank has nobody to average with', REDUCTIONS);
  if (!pass.reduces)
    return closedForm(
      Array.from({ length: n }, () => 0),
      '0: under no_sync() gradients stay on their rank',
      REDUCTIONS,
    );
  const { bytes, note } = hasOwnBytes(config) ? HOOK_BYTES.get().hookBytes(run, pass) : allBytes(run);
  const remark = note === '' ? '' : ` (${note})`;
  if (config.ddp.algorithm === 'naive') {
    const perDevice = Array.from({ length: n }, (_, rank) => (rank === 0 ? (n - 1) * bytes : bytes));
    return closedForm(perDevice, `rank 0 sends (N-1) × S, the others S; N = ${n}, S = ${bytes} B${remark}`, {
      ...REDUCTIONS,
      exact: note === '',
    });
  }
  // With any algorithm, N copies of an element become one sum in N-1 additions, and N-1 ranks receive the sum.
  const each = (2 * (n - 1) * bytes) / n;
  return closedForm(
    Array.from({ length: n }, () => each),
    `${allReduceText(run, n)}; N = ${n}, S = ${bytes} B${remark}`,
    { ...REDUCTIONS, exact: false },
  );
}

/** Without a hook each rank all-reduces every gradient. */
const allBytes = ({ parameters }: RunSizes): HookBytes => ({
  bytes: sum(parameters.map(tensorBytes)),
  note: '',
});

function allReduceText({ config }: RunSizes, n: number): string {
  const nodes = Math.min(config.nodes, n);
  switch (config.ddp.algorithm) {
    case 'tree':
      return 'S up to the parent (not the root) and S down to each child; on average 2(N-1)/N × S';
    case 'doubleTree':
      return '2(N-1)/N × S: half of it in each of two trees';
    case 'halvingDoubling':
      return Number.isInteger(Math.log2(n))
        ? '2(N-1)/N × S: S/2, S/4 ... and back'
        : '2(N-1)/N × S: halves among a power of two of ranks, all of S for the others';
    case 'hierarchical':
      if (nodes === 1 || n % nodes !== 0) return '2(N-1)/N × S';
      return `2(L-1)/L × S inside nodes + 2(M-1)/M × S/L across; M = ${nodes} nodes of L = ${n / nodes}`;
    default:
      return '2(N-1)/N × S';
  }
}
