/**
 * A save of an exported run that is killed at any moment leaves the complete earlier or the complete new checkpoint. In
 * the PyTorch of this machine.
 *
 * @module-tag rest: one process saves and resumes in exported-restarts.torch.test.ts, by the same files.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFiles } from '../../headless/export-run';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const RUN = {
  mode: 'single',
  model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
  data: { type: 'xor', samples: 48 },
  device: 'cpu',
  compareSingle: false,
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-torn-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const python = pythonWithTorch();
if (python === undefined) test('no PyTorch on this machine', () => sayNoTorch('killed saves were not tested.'));
else
  test('at any moment', async () => {
    const { files } = await exportFiles(RUN, {});
    for (const [file, content] of Object.entries(files)) await writeFile(path.join(folder, file), content);
    const { status, stdout, stderr } = spawnSync(python, ['-c', KILLED_SAVES], { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const outcomes = JSON.parse(stdout) as readonly (readonly [killedAt: string, found: number])[];
    expect(outcomes.map(([, found]) => found).sort()).toEqual(outcomes.map(([, found]) => found));
    expect(new Set(outcomes.map(([at]) => at))).toEqual(
      new Set(['fsync', 'link', 'replace', 'remove', 'killed no more']),
    );
    expect(new Set(outcomes.map(([, found]) => found))).toEqual(new Set([1, 2]));
    expect((await readdir(folder)).filter((name) => name.startsWith('ck'))).toEqual([
      'ck.safetensors',
      'ck.state.safetensors',
    ]);
  });

/** Saves 1, then 2 in a fork that ends before its n-th call to the system; what is read then; again with n + 1. */
const KILLED_SAVES = `
import json, os, torch
import checkpoint_files as files

def save(number):
    weights, state = {'w': torch.full((3,), float(number))}, {'s': torch.full((2,), float(number))}
    sums = {'model': files.crcs(weights), 'state': files.crcs(state)}
    files.replace_pair('ck', weights, state, {'crc32': files.compact(sums)})

outcomes, n, ended = [], 0, False
while not ended:
    save(1)
    read, write = os.pipe()
    if os.fork() == 0:
        left = n
        def dying(name, call):
            def wrapped(*args, **settings):
                global left
                if left == 0:
                    os.write(write, name.encode())
                    os._exit(9)
                left -= 1
                return call(*args, **settings)
            return wrapped
        for name in ('fsync', 'link', 'replace', 'remove'):
            setattr(os, name, dying(name, getattr(os, name)))
        save(2)
        os._exit(0)
    os.close(write)
    at = os.read(read, 100).decode()
    os.wait()
    ended = at == ''
    weights, state, _ = files.read_pair('ck')
    assert weights['w'][0] == state['s'][0]
    outcomes.append((at or 'killed no more', int(weights['w'][0])))
    n += 1
save(3)
assert files.read_pair('ck')[0]['w'][0] == 3
print(json.dumps(outcomes))
`;
