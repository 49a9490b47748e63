import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readRun } from './read-run';
import { temporaryFolder } from './testing/temporary-folder';

const readFile = (file: string) => readRun({ preset: undefined, config: file });

describe('reading a run', () => {
  const inFolder = temporaryFolder();
  const put = async (name: string, text: string): Promise<string> => {
    const file = inFolder(name);
    await writeFile(file, text);
    return file;
  };

  it('brings the files that the configuration names, by the names it uses', async () => {
    await put('rows.csv', '1,2\n');
    await put('start.safetensors', 'abc');
    const file = await put('run.json', '{"data": {"type": "csv", "file": "rows.csv"}, "weights": "start.safetensors"}');
    const { config, files } = await readFile(file);
    expect(config['weights']).toBe('start.safetensors');
    expect(Object.keys(files)).toEqual(['rows.csv', 'start.safetensors']);
    expect(Buffer.from(files['rows.csv'] ?? []).toString()).toBe('1,2\n');
  });

  it('says which file is missing', async () => {
    const file = await put('run.json', '{"data": {"type": "npy", "inputs": "x.npy", "targets": "y.npy"}}');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'data', message: expect.stringContaining('"x.npy"') });
    await expect(readFile(inFolder('none.json'))).rejects.toMatchObject({ code: 'data' });
  });

  it('says what is wrong with a path', async () => {
    await expect(readFile(inFolder())).rejects.toThrow(`cannot read the configuration ${inFolder()}: it is a folder`);
    const file = await put('run.json', '{"weights": "."}');
    await expect(readFile(file)).rejects.toThrow('cannot read ".", which the configuration names: it is a folder');
  });

  it('drops a byte order mark', async () => {
    expect((await readFile(await put('bom.json', '\ufeff{"steps": 3}'))).config).toEqual({ steps: 3 });
  });

  it('refuses a whole number that JSON.parse would round, as it was written', async () => {
    const file = await put('seed.json', '{"seed": 12345678901234567, "weights": "98765432109876543210"}');
    await expect(readFile(file)).rejects.toThrow(
      'holds 12345678901234567, which has more digits than a number can store',
    );
    const fine = await put(
      'fine.json',
      '{"seed": 7, "optimizer": {"type": "SGD", "lr": 1e-9}, "a": "12345678901234567"}',
    );
    expect((await readFile(fine)).config['seed']).toBe(7);
  });

  it('refuses what is not a JSON object', async () => {
    await expect(readFile(await put('a.json', '{mode: 1}'))).rejects.toMatchObject({ code: 'config' });
    await expect(readFile(await put('b.json', '[1]'))).rejects.toMatchObject({ code: 'config' });
    await expect(readFile(await put('c.json', '{\n  "steps": 3,\n}'))).rejects.toThrow(/c\.json is not JSON: .*line 3/);
    await expect(readFile(await put('d.json', ' \n'))).rejects.toThrow('d.json is empty');
  });
});
