/** An empty folder for each test of a command, removed afterwards. Returns the path of a file in it by name. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Without a name it returns the folder itself. */
export function temporaryFolder(): (name?: string) => string {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  return (name = '') => path.join(folder, name);
}
