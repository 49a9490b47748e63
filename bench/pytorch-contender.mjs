/**
 * PyTorch on one thread of this machine's CPU, as a contender of the benchmark: one Python process per workload, which
 * waits while the other contenders have their turns.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { findTorch } from '../scripts/find-torch.mjs';
import { root } from '../scripts/install.mjs';

export const PYTORCH = 'pytorch-cpu';

/**
 * The contender's title in the report: PyTorch's version, and the library that multiplies its matrices.
 *
 * @returns {Promise<import('./result.d.ts').ContenderInfo | undefined>} undefined where no Python has torch
 */
export async function pytorchContender() {
  const python = findTorch('torch.nn').found;
  if (!python) return undefined;
  const asked = await openPytorch('small-2-4-2-1');
  await asked.close();
  const blas = asked.blas ? `, products by ${asked.blas}` : '';
  return { id: PYTORCH, title: `PyTorch ${asked.version}, one thread${blas}`, library: 'pytorch', backend: 'cpu' };
}

/** @param {string} workload */
export async function openPytorch(workload) {
  const python = findTorch('torch.nn').found;
  if (!python) throw new Error('no Python of this machine has torch');
  const child = spawn(python.command, [path.join(root, 'bench', 'pytorch_reference.py'), '--serve'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, LOCKSTEP_TORCH_DEVICE: 'cpu', OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (/** @type {string} */ line) => {
    child.stdin.write(`${line}\n`);
    const { done, value } = await lines.next();
    if (done) throw new Error('Python ended');
    return JSON.parse(value);
  };
  const { version, blas } = await ask(`open ${workload}`);
  return {
    version: String(version),
    blas: /** @type {string | null} */ (blas),
    measure: async (/** @type {number} */ milliseconds) => Number((await ask(`measure ${milliseconds}`)).rate),
    close: async () => void child.kill(),
  };
}
