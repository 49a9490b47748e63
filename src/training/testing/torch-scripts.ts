/**
 * Runs PyTorch listings in the PyTorch of this machine (scripts/run-torch-scripts.py, on the CPU, over gloo), if there
 * is one. LOCKSTEP_PYTHON names the interpreter; else those of the path and the system's are tried. Called by tests,
 * and by what records their fixtures.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findTorch, noTorchBanner } from '../../../scripts/find-torch.mjs';
import type { ExportedFolder } from '../../protocol/exported';

const RUNNER = path.resolve(import.meta.dirname, '../../../scripts/run-torch-scripts.py');

export interface TorchScript {
  /** Absent: `files` are those of an exported run, whose train.py starts with `args`. */
  readonly code?: string;
  readonly args?: readonly string[];
  /** Files that come back. */
  readonly gives?: readonly string[];
  /** One each rank; 1 where the script drives all devices. */
  readonly processes: number;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface TorchOutput {
  /** Numbers that each process printed. */
  readonly printed: readonly (readonly number[])[];
  readonly error: string | null;
  /** In base64. */
  readonly files: Readonly<Record<string, string>>;
}

/** An exported run as it is, on the CPU, which leaves report.json. */
export const exportedScript = ({ files, processes }: ExportedFolder): TorchScript => ({
  processes,
  files: Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    ]),
  ),
  args: ['--report', 'report.json', '--quiet', '--device', 'cpu'],
  gives: ['report.json'],
});

/** Of an exported run: the text of its report.json; '': it left none. */
export const reportOf = ({ files }: TorchOutput): string =>
  Buffer.from(files['report.json'] ?? '', 'base64').toString();

/** The interpreter that has that module of torch; undefined: none has. */
export function pythonWithTorch(module = 'torch.distributed'): string | undefined {
  return findTorch(module).found?.command;
}

/** Says in large letters what is not tested on a machine without that. */
export const sayNoTorch = (...said: Parameters<typeof noTorchBanner>): void =>
  void process.stderr.write(noTorchBanner(...said));

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
