/**
 * A `python3` for tests that start Python again and again: each start is a fork of one process that has imported torch
 * (scripts/warm-torch.py), which saves two seconds. What it is called with, its folder, environment, streams, signals
 * and exit status are those of a Python; its process number is not the one that the fork itself sees.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { must } from '../../base/invariant';

const WARM_TORCH = path.resolve(import.meta.dirname, '../../../scripts/warm-torch.py');

export interface WarmTorch {
  /** The path of the command. */
  readonly python: string;
  end(): Promise<void>;
}

/** `python`: a real one, with torch. Writes `folder`, which the caller removes. */
export async function startWarmTorch(python: string, folder: string): Promise<WarmTorch> {
  const [command, socket] = ['python3', 'socket'].map((name) => path.join(folder, name)) as [string, string];
  await mkdir(folder, { recursive: true });
  // `-c` is how programs ask what this Python has, without torch.
  await writeFile(
    command,
    `#!/usr/bin/env bash
[ "$1" = -c ] && exec "${python}" "$@"
exec "${python}" -S -E "${WARM_TORCH}" ask "${socket}" "$@"
`,
  );
  await chmod(command, 0o755);
  // As torchrun, which gives each rank one thread: with another number of threads torch sums in another order.
  const env = { ...process.env, CUDA_VISIBLE_DEVICES: '', OMP_NUM_THREADS: '1' };
  const server = spawn(python, [WARM_TORCH, 'serve', socket], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const said = must(server.stdout, 'output');
  await Promise.race([
    once(said, 'data'),
    once(said, 'end').then(() => Promise.reject(new Error('warm-torch.py ended'))),
  ]);
  return {
    python: command,
    end: async () => {
      await Promise.all([once(server, 'close'), server.stdin.end()]);
    },
  };
}
