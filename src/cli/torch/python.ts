/**
 * Finds the PyTorch of this machine, or says that there is none, or that it is too old for the run. Called by
 * train-in-torch.ts.
 */
import { findTorch, type TorchPython } from '../../../scripts/find-torch.mjs';
import { LockstepError } from '../../base/errors';

export type { TorchPython };

/**
 * The first interpreter with torch and torch.distributed. If there is none, throws an error that says how to get it.
 */
export function pythonWithTorch(candidates?: readonly string[]): TorchPython {
  const { found, problems } = findTorch('torch.distributed', candidates);
  if (found) return found;
  throw new LockstepError(
    'no-torch',
    `No Python here has PyTorch with torch.distributed (${problems.join('; ')}).`,
    'Install it (python3 -m pip install torch; or on Debian and Ubuntu: apt-get install python3-torch), or name an interpreter that has it: LOCKSTEP_PYTHON=/path/to/python.',
  );
}

/** The numbers of a version; '1.13.0a0' counts as 1.13. */
const numbersOf = (version: string): readonly number[] =>
  (version.match(/^\d+(\.\d+)*/)?.[0] ?? '').split('.').map(Number);

export function isOlder(version: string, needed: string): boolean {
  const [has, needs] = [numbersOf(version), numbersOf(needed)];
  for (const [i, number] of needs.entries()) if ((has[i] ?? 0) !== number) return (has[i] ?? 0) < number;
  return false;
}

/** Throws if the run needs a newer torch. `why`: 'mode pipeline', 'the hook PowerSGD'. */
export function checkVersion(python: TorchPython, needs: { readonly torch: string; readonly why: string }): void {
  if (!isOlder(python.torch, needs.torch)) return;
  throw new LockstepError(
    'no-torch',
    `${needs.why} needs torch ${needs.torch} or newer; this machine has ${python.torch} at ${python.path}.`,
    'Name an interpreter with a newer one, LOCKSTEP_PYTHON=/path/to/python, or take the exported folder to a machine that has it (lockstep export).',
  );
}
