/**
 * Reads the configuration file and the data files that it names, relative to it. The settings themselves are judged by the
 * session; here only what is needed to find the files is looked at.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import type { Files } from '../protocol/session';

export interface RunInput {
  readonly config: Record<string, unknown>;
  readonly files: Files;
}

/** `file` '-' reads standard input; data files are then relative to the working folder. */
export async function readRun(file: string): Promise<RunInput> {
  const config = parseObject(await readText(file), file);
  const folder = file === '-' ? process.cwd() : path.dirname(path.resolve(file));
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  for (const name of fileNames(config)) files[name] = await readData(path.resolve(folder, name), name);
  return { config, files };
}

/** The file names that a configuration mentions, as it writes them. */
export function fileNames(config: Readonly<Record<string, unknown>>): readonly string[] {
  const data = isObject(config['data']) ? config['data'] : {};
  const named = [data['file'], data['inputs'], data['targets'], config['weights']];
  return [...new Set(named.filter((name): name is string => typeof name === 'string' && name !== ''))];
}

async function readText(file: string): Promise<string> {
  try {
    if (file !== '-') return await readFile(file, 'utf8');
    const parts: Buffer[] = [];
    for await (const part of process.stdin) parts.push(Buffer.from(part));
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    throw unreadable('the configuration', file, error);
  }
}

async function readData(file: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    throw unreadable(`"${name}", which the configuration names`, file, error);
  }
}

function unreadable(what: string, file: string, cause: unknown): LockstepError {
  const reason = isObject(cause) && cause['code'] === 'ENOENT' ? 'no such file' : String(cause);
  const hint = 'Paths in a configuration are relative to the configuration file.';
  return new LockstepError('data', `cannot read ${what}: ${reason} (${file})`, hint, { file });
}

function parseObject(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LockstepError(
      'config',
      `${file} is not JSON: ${reason}`,
      '`lockstep schema` prints what it may contain.',
    );
  }
  if (!isObject(value)) {
    throw new LockstepError(
      'config',
      `${file} must hold a JSON object`,
      '`lockstep schema` prints what it may contain.',
    );
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
