/**
 * Runs PyTorch listings in the PyTorch of this machine (scripts/run-torch-scripts.py, on the CPU, over gloo), if there
 * is one. LOCKSTEP_PYTHON names the interpreter; else those of the path and the system's are tried. Called by tests,
 * and by what records their fixtures.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const RUNNER = path.resolve(import.meta.dirname, '../../../scripts/run-torch-scripts.py');
const own = process.env['LOCKSTEP_PYTHON'];
const CANDIDATES = own ? [own] : ['python3', '/usr/bin/python3', 'python'];

export interface TorchScript {
  readonly code: string;
  /** One each rank; 1 where the script drives all devices. */
  readonly processes: number;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface TorchOutput {
  /** Numbers that each process printed. */
  readonly printed: readonly (readonly number[])[];
  readonly error: string | null;
}

/** The interpreter that has that module of torch; undefined: none has. */
export function pythonWithTorch(module = 'torch.distributed'): string | undefined {
  return CANDIDATES.find((python) => spawnSync(python, ['-c', `import ${module}`]).status === 0);
}

export function runTorchScripts(
  python: string,
  scripts: readonly TorchScript[],
): { readonly torch: string; readonly outputs: readonly TorchOutput[] } {
  const input = JSON.stringify({
    scripts: scripts.map(({ files, ...script }) => ({
      ...script,
      files: Object.fromEntries(
        Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
      ),
    })),
  });
  const { stdout, stderr, status } = spawnSync(python, [RUNNER], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${python} ${RUNNER} ended with ${status}: ${stderr}`);
  const [head = '{}', ...rest] = stdout.trim().split('\n');
  return {
    torch: String((JSON.parse(head) as { torch?: unknown }).torch),
    outputs: rest.map((text) => JSON.parse(text) as TorchOutput),
  };
}
