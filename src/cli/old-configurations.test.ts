/**
 * Configurations keep their meaning: each command line of fixtures/old-configurations.json, with the file that it
 * names, still gives the Config that it gave when it was recorded. A new configuration is a new line with `args` and
 * `file`; LOCKSTEP_RECORD_LINKS=1 records its meaning. A recorded meaning is never recorded again.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { underNewNames } from '../config/testing/renamed-settings';
import { MODES } from '../protocol/config';
import configurations from './fixtures/old-configurations.json';
import { readRun } from './read-run';
import { parseCommand } from './usage';

interface OldConfiguration {
  readonly args: readonly string[];
  /** The content of run.json, which `args` name. */
  readonly file?: unknown;
  readonly config?: unknown;
}

const known = configurations as readonly OldConfiguration[];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-'));
  // The files that configurations name; their content does not matter here.
  for (const name of ['rows.csv', 'start.safetensors']) await writeFile(path.join(folder, name), 'x,y\n');
});
afterAll(() => rm(folder, { recursive: true }));

async function meaningOf({ args, file }: OldConfiguration): Promise<unknown> {
  const config = path.join(folder, 'run.json');
  if (file !== undefined) await writeFile(config, JSON.stringify(file));
  const command = parseCommand(['train', ...args.map((arg) => (arg === 'run.json' ? config : arg))], '');
  if (command.name !== 'train') throw new Error(`${command.name} is no training`);
  const run = await readRun(command.options);
  return JSON.parse(JSON.stringify(parseConfig(run.config))) as unknown;
}

if (process.env['LOCKSTEP_RECORD_LINKS'] !== undefined) {
  test('recorded: what new configurations mean', async () => {
    const rows: string[] = [];
    for (const old of known)
      rows.push(JSON.stringify(old.config === undefined ? { ...old, config: await meaningOf(old) } : old));
    await writeFile(new URL('./fixtures/old-configurations.json', import.meta.url), `[\n${rows.join(',\n')}\n]\n`);
  });
} else {
  test.each(known)('$args, $file', async (old) => {
    const now = await meaningOf(old);
    // Settings added later have their defaults, at any depth; older settings are unchanged.
    expect(now).toEqual(parseConfig(old.config));
    expect(now).toMatchObject(underNewNames(old.config));
  });
}

test('every mode is in one', () => {
  const recorded = known.map(({ config = {} }) => JSON.stringify(config));
  expect(MODES.filter((mode) => !recorded.some((config) => config.includes(`"mode":"${mode}"`)))).toEqual([]);
});
