/**
 * Every script of package.json, also a new one, prints a usage text for --help, and refuses an unknown option in one
 * line. The test starts only scripts that read their arguments with the shared table, because any other script would do
 * its work.
 *
 * @module-tag rest: npm test itself reads its arguments by this table.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nearest } from './read-arguments.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const OF_NODE = /^node (\S+\.mjs)(.*)$/;
/** The command line of Lockstep has its own usage text, with its own tests. */
const own = Object.entries(scripts).filter(([name, line]) => OF_NODE.test(line) && name !== 'cli');

function run(line: string, ...more: readonly string[]) {
  const [, file = '', rest = ''] = OF_NODE.exec(line) ?? [];
  const source = readFileSync(path.join(root, file), 'utf8');
  const [before] = source.split('ensureInstalled();');
  expect(before, `${file} calls readArguments() before it does anything`).toContain('readArguments({');
  const args = [file, ...rest.split(' ').filter(Boolean), ...more];
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 60_000 });
}

describe.each(own)('npm run %s', (name, line) => {
  test('--help prints the usage', () => {
    const { status, stdout, stderr } = run(line, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const first = name === 'test' || name === 'start' ? `npm ${name}` : `npm run ${name}`;
    expect(stdout).toMatch(new RegExp(`^Usage: (${first}|npm (run )?${name.split(':')[0]})\\b`));
    expect(stdout).toContain('Options:');
    expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(100);
  });

  if (!/passesOnTo/.test(readFileSync(path.join(root, OF_NODE.exec(line)?.[1] ?? ''), 'utf8')))
    test('an unknown option is refused in one line', () => {
      const { status, stdout, stderr } = run(line, '--nosuch');
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^There is no option --nosuch.* --help lists the options\.\n$/);
    });
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
