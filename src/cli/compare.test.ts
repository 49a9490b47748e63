import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runConfig } from '../headless/run';
import { readReport } from '../reports/read-report';
import { compare } from './compare';
import { EXIT } from './exit-code';
import { captureStdout } from './testing/capture-stdout';
import { temporaryFolder } from './testing/temporary-folder';

describe('lockstep compare', () => {
  const file = temporaryFolder();
  const printed = captureStdout();

  async function run(a: string, b: string, json = false): Promise<number> {
    const files = [file('a.json'), file('b.json')] as const;
    await Promise.all([writeFile(files[0], a), writeFile(files[1], b)]);
    return compare({ a: files[0], b: files[1], json });
  }

  it('says that two reports are of the same run, and exits with 0', async () => {
    expect(await run('{"losses": [0.7, NaN]}', '{"losses": [0.7, null]}')).toBe(EXIT.ok);
    expect(printed()).toContain('The same run: 2 losses are equal.');
  });

  it('says where two reports first differ, and exits with another status', async () => {
    expect(await run('{"losses": [0.7, 0.6]}', '{"losses": [0.7, 0.5]}')).toBe(EXIT.differ);
    expect(printed()).toContain('The runs first differ at step 1');
  });

  it('prints JSON', async () => {
    await run('{"losses": [0.7, 0.6]}', '{"losses": [0.7, 0.5]}', true);
    expect(JSON.parse(printed())).toMatchObject({ verdict: { same: false }, losses: { parts: { step: 1, a: 0.6 } } });
  });

  it('does not accept other files as reports', async () => {
    await expect(run('{"losses": [0.7]}', '{}')).rejects.toMatchObject({ code: 'data' });
    await expect(compare({ a: file('none.json'), b: '-', json: false })).rejects.toThrow('no such file or folder');
    expect(printed()).toBe('');
  });

  it("reads Lockstep's own reports", async () => {
    const { report } = await runConfig({ device: 'cpu', steps: 2, mode: 'ddp', worldSize: 2 }, {});
    const text = JSON.stringify(report);
    expect(await run(text, text)).toBe(EXIT.ok);
    expect(printed()).toContain('tensors have the same bits');
    expect(readReport(JSON.parse(text), 'own').madeBy).toContain('Lockstep');
  });
});
