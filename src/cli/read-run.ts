/**
 * Reads the configuration file and the data files that it names, relative to it. Reads only the settings that name
 * files; the session checks all settings.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import type { Files } from '../protocol/session';
import { loadCheckpoint } from './checkpoint-files';
import { fileReason } from './file-error';
import { repeatedKey } from './repeated-key';
import { type GivenSetting, withSettings } from './settings';
import { CLI_PRESETS, PRESET_NAMES, presetNamed } from './spoken-names';

/** The settings of `data` that name files. */
const DATA_FILES = ['file', 'inputs', 'targets', 'images', 'labels', 'zip'];

export interface GivenRun {
  readonly config: Record<string, unknown>;
  readonly files: Files;
}

/** The source of the settings: a preset, a file, or a preset overridden by a file's settings. */
export interface RunSource {
  readonly preset: string | undefined;
  /** '-' reads standard input; data files are then relative to the working folder. */
  readonly config: string | undefined;
  /** Settings that override both. */
  readonly settings?: readonly GivenSetting[];
  /** The checkpoint to resume from: overrides the configuration's `resume`; relative to the working folder. */
  readonly resume?: string | undefined;
}

export async function readRun({ preset, config: file, settings = [], resume: base }: RunSource): Promise<GivenRun> {
  const given = file === undefined ? {} : parseObject(await readText(file), file);
  const { preset: ofFile, ...own } = given;
  const ofSettings = settings.findLast(({ path: [key] }) => key === 'preset')?.value;
  const start = ofSettings ?? preset ?? ofFile;
  const config: Record<string, unknown> = {
    ...withSettings(
      { ...(start === undefined ? {} : presetConfig(start)), ...own },
      settings.filter(({ path: [key] }) => key !== 'preset'),
    ),
    ...(base === undefined ? {} : { resume: path.basename(base) }),
  };
  const folder = file === undefined || file === '-' ? process.cwd() : path.dirname(path.resolve(file));
  const named: [string, Uint8Array<ArrayBuffer>][] = [];
  for (const name of fileNames(config)) named.push([name, await readData(path.resolve(folder, name), name)]);
  const { resume: name } = config;
  const saved =
    typeof name === 'string' && name !== ''
      ? await loadCheckpoint(path.resolve(base ?? path.join(folder, name)), name)
      : {};
  return { config, files: { ...Object.fromEntries(named), ...saved } };
}

function presetConfig(said: unknown): Record<string, unknown> {
  const preset = typeof said === 'string' ? CLI_PRESETS.get(presetNamed(said) ?? '') : undefined;
  if (preset !== undefined) return { ...preset.config };
  throw new LockstepError(
    'config',
    `there is no preset ${JSON.stringify(said)?.slice(0, 60)}`,
    `Presets: ${PRESET_NAMES.join(', ')}.`,
  );
}

/** The file names that a configuration mentions, as it writes them. */
export function fileNames(config: Readonly<Record<string, unknown>>): readonly string[] {
  const data = isObject(config['data']) ? config['data'] : {};
  const named = [...DATA_FILES.map((key) => lookup(data, key)), config['weights']];
  return [...new Set(named.filter((name): name is string => typeof name === 'string' && name !== ''))];
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = file === '-' ? await readInput() : await readFile(file);
    // Windows' editors and PowerShell write a byte order mark first, which TextDecoder drops.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const hint = '--config takes the path of a JSON file, or "-" for standard input.';
    throw new LockstepError('data', `cannot read the configuration ${file}: ${fileReason(error)}`, hint, { file });
  }
}

/** Reads all of standard input. */
export async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function readData(file: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    const hint = 'Paths in a configuration are relative to the configuration file.';
    const what = `"${name}", which the configuration names`;
    throw new LockstepError('data', `cannot read ${what}: ${fileReason(error)} (${file})`, hint, { file });
  }
}

function parseObject(text: string, file: string): Record<string, unknown> {
  const refuse = (what: string): LockstepError =>
    new LockstepError('config', `${file} ${what}`, '`lockstep schema` prints what it may contain.');
  if (text.trim() === '') throw refuse('is empty; the shortest configuration is {}');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(
      `is not JSON: ${brief(error instanceof Error ? error.message : String(error), 200)}${lineOf(error, text)}`,
    );
  }
  if (!isObject(value)) throw refuse('must hold a JSON object');
  const digits = roundedNumber(text);
  if (digits !== undefined)
    throw refuse(
      `holds ${digits}, which has more digits than a number can store: it would be read as ${Number(digits)}`,
    );
  const twice = repeatedKey(text);
  if (twice) throw refuse(`gives "${brief(twice.name)}" twice in one object (line ${twice.line}); leave one of them`);
  return value;
}

/** The first whole number that JSON.parse has silently rounded. */
function roundedNumber(json: string): string | undefined {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
  return tokens.find((token) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)));
}

/** The line of an error: Node 20's parser counts characters from the start of the file. */
function lineOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
