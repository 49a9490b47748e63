/**
 * Every script that a person can start, also a new one, prints a usage text for --help, and refuses an unknown option
 * in one line: the scripts of package.json, and the files of scripts/ and bench/ that are programs. The test starts
 * only scripts that read their arguments with the shared table, because any other script would do its work.
 *
 * @module-tag rest: npm test itself reads its arguments by this table.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { nearest } from './read-arguments.mjs';

const root = path.resolve(import.meta.dirname, '..');
const sourceOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { scripts } = JSON.parse(sourceOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const OF_NODE = /^node (\S+\.mjs)(.*)$/;
/** They have a usage text of their own: the command line of Lockstep, with its own tests, and Biome. */
const FOREIGN = ['cli', 'format'];
const own = Object.entries(scripts).filter(([name]) => !FOREIGN.includes(name));
const isProgram = (source: string): boolean => !/^export /m.test(source) || source.includes('process.argv[1]');
const named = own.map(([, line]) => OF_NODE.exec(line)?.[1]);
const programs = ['scripts', 'bench'].flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.mjs') && !named.includes(file) && isProgram(sourceOf(file))),
);

function run(line: string, ...more: readonly string[]) {
  const [, file = '', rest = ''] = OF_NODE.exec(line) ?? [];
  const [before] = sourceOf(file).split('ensureInstalled();');
  expect(before, `${file} calls readArguments() before it does anything`).toContain('readArguments({');
  const args = [file, ...rest.split(' ').filter(Boolean), ...more];
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 60_000 });
}

function printsUsage(line: string, first: RegExp): void {
  const { status, stdout, stderr } = run(line, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(first);
  expect(stdout).toContain('Options:');
  expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(100);
}

function refusesUnknown(line: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = run(line, ...args, '--nosuch');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^[^\n]*no option --nosuch[^\n]*--help [^\n]*\n$/);
}

test('every script of package.json is a file of Node', () => {
  expect(own.filter(([, line]) => !OF_NODE.test(line))).toEqual([]);
});

describe.each(own)('npm run %s', (name, line) => {
  const first = name === 'test' || name === 'start' ? `npm ${name}` : `npm run ${name}`;
  it('prints the usage', () => printsUsage(line, new RegExp(`^Usage: (${first}|npm (run )?${name.split(':')[0]})\\b`)));
  it('refuses an unknown option in one line', () => refusesUnknown(line));
});

describe.each(programs)('node %s', (file) => {
  it('prints the usage', () => printsUsage(`node ${file}`, new RegExp(`^Usage: node ${file} `)));
  it('refuses an unknown option in one line', () => refusesUnknown(`node ${file}`));
});

test('wrong values and unexpected words are refused, with the most similar option', () => {
  const refused = (...args: readonly string[]) => run('node scripts/fuzz.mjs', ...args).stderr;
  expect(refused('--minuts', '3')).toContain('There is no option --minuts; did you mean --minutes?');
  expect(refused('--minutes', 'many')).toContain('--minutes must be a number above 0, not "many".');
  expect(refused('--only')).toContain('--only needs a value: NAME.');
  expect(refused('--browser=yes')).toContain('--browser takes no value, not "yes".');
  expect(refused('links')).toContain('"links" is given, and no word is expected.');
  expect(nearest('case', ['minutes', 'cases'])).toBe('cases');
  expect(nearest('xyz', ['minutes', 'cases'])).toBeUndefined();
});
