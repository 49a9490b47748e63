/**
 * Recognises dropped files by names and first bytes: a table, a pair of .npy, an IDX pair, images, a text, weights.
 * Returns the Config that trains on them, with a model that fits as far as a quick look can tell; the session reads the
 * files strictly and names the line or byte of an error. Loaded with the first file.
 */

import { lookup } from '../../base/lookup';
import { parsePart } from '../../config/issue-words';
import { type Config, dataSchema } from '../../protocol/config';
import { image, type RowOfData, tokens, vector } from '../../protocol/config/data-row';
import { differentCharacters } from '../../protocol/config/rule-made';
import type { Notice } from '../../protocol/notice';
import { PRESETS } from '../../protocol/presets';
import type { Files } from '../../protocol/session';
import { type DataChange, putData } from '../edit/edit-data';
import { checkpointAmong } from '../stored/checkpoint-zip';
import { withCheckpoint } from '../stored/with-checkpoint';
import { type CsvLook, lookAtCsv, withCsv } from './csv-look';
import { lookAtIdx } from './idx-look';
import { lookAtNpy } from './npy-look';
import { foldersOf, namesInZip } from './zip-look';

export interface Taken extends DataChange {
  readonly files: Files;
  readonly csv?: CsvLook;
}

/** Why files cannot be used, in the words of a notice. */
export type Refused = Pick<Notice, 'text' | 'hint'>;
export type Taking = { readonly ok: true; readonly taken: Taken } | { readonly ok: false; readonly refused: Refused };

type Bytes = Uint8Array<ArrayBuffer>;

const refused = (text: string, hint: string): Taking => ({ ok: false, refused: { text, hint } });
const ending = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
const isIdx = (name: string): boolean => /idx[13]-ubyte(\.gz)?$|\.idx\d?(\.gz)?$/i.test(name) || ending(name) === 'gz';
const isLabels = (name: string): boolean => /label|idx1/i.test(name);

const UNKNOWN =
  'To train on: a .csv, a pair of .npy files, a pair of IDX files, a .zip or folders of .png, a .txt. To load: a checkpoint or a .safetensors file. To look at: a report, traces of torch.profiler, dumps of the flight recorder, tables of nccl-tests.';

export async function takeFiles(config: Config, files: Files): Promise<Taking> {
  const names = Object.keys(files);
  const [first = '', second] = names;
  const bytes = lookup(files, first);
  if (bytes === undefined) return refused('No file was dropped.', UNKNOWN);
  const kinds = new Set(names.map(ending));
  const checkpoint = kinds.has('zip') || kinds.has('safetensors') ? checkpointAmong(files) : undefined;
  if (checkpoint)
    return { ok: true, taken: { ...withCheckpoint(config, checkpoint, 'checkpoint'), replaced: undefined } };
  if (names.every((name) => ending(name) === 'png')) return pngs(config, files, names, {});
  if (names.length === 1 && kinds.has('zip')) return pngs(config, files, namesInZip(bytes), { zip: first });
  if (names.every(isIdx)) return idxPair(config, files, names);
  if (names.every((name) => ending(name) === 'npy')) return npyPair(config, files, names);
  if (second !== undefined) {
    return refused(`${names.length} files of different kinds were dropped: ${names.slice(0, 4).join(', ')}.`, UNKNOWN);
  }
  if (kinds.has('safetensors'))
    return { ok: true, taken: { config: { ...config, weights: first }, files, replaced: undefined } };
  if (kinds.has('csv') || kinds.has('tsv')) return table(config, first, bytes);
  if (kinds.has('txt') || kinds.has('md')) return text(config, first, bytes);
  return refused(`${first}: Lockstep cannot read this kind of file.`, UNKNOWN);
}

const taken = (files: Files, change: DataChange): Taking => ({ ok: true, taken: { ...change, files } });
const decode = (bytes: Bytes): string => new TextDecoder().decode(bytes);

function table(config: Config, name: string, bytes: Bytes): Taking {
  const look = lookAtCsv(name, decode(bytes));
  if (!look) return refused(`${name} has no rows.`, 'The old data stays.');
  const change = withCsv(config, look, look.columns.length - 1, 'auto');
  return { ok: true, taken: { ...change, files: { [name]: bytes }, csv: look } };
}

function text(config: Config, name: string, bytes: Bytes): Taking {
  const old = config.data;
  const { context } = old.type === 'text' ? old : PRESETS.gpt.config.data;
  const data = parsePart(
    dataSchema,
    {
      type: 'text',
      file: name,
      context,
      testFraction: Math.min(0.1, old.testFraction),
    },
    'The data',
  );
  return taken({ [name]: bytes }, putData(config, data, tokens(context, differentCharacters(decode(bytes)))));
}

async function idxPair(config: Config, files: Files, names: readonly string[]): Promise<Taking> {
  const labels = names.find(isLabels);
  const images = names.find((name) => name !== labels);
  if (labels === undefined || images === undefined || names.length !== 2) {
    return refused(
      `IDX data needs two files, one of images and one of labels. Dropped: ${names.join(', ')}.`,
      'Drop the images and the labels together.',
    );
  }
  const look = await lookAtIdx(lookup(files, images), lookup(files, labels));
  const data = parsePart(
    dataSchema,
    { type: 'idx', images, labels, testFraction: config.data.testFraction },
    'The data',
  );
  return taken(files, putData(config, data, look && image([1, look.height, look.width], look.classes)));
}

function npyPair(config: Config, files: Files, names: readonly string[]): Taking {
  if (names.length !== 2)
    return refused(`${names.join(', ')}: inputs and targets must be two .npy files.`, 'Drop both together.');
  const looks = names.map((name) => ({ name, look: lookAtNpy(lookup(files, name)) }));
  const size = (shape: readonly number[]) => shape.slice(1).reduce((n, d) => n * d, 1);
  // The targets are the file whose name says so, else the file with fewer columns.
  const named = looks.find(({ name }) => /target|label|^y/i.test(name));
  const sorted = looks.toSorted((a, b) => size(a.look?.shape ?? []) - size(b.look?.shape ?? []));
  const targets = named ?? sorted[0];
  const inputs = looks.find((one) => one !== targets);
  if (!targets || !inputs) return refused('Two .npy files are needed.', 'Drop inputs and targets together.');
  const data = parsePart(
    dataSchema,
    {
      type: 'npy',
      inputs: inputs.name,
      targets: targets.name,
      testFraction: config.data.testFraction,
    },
    'The data',
  );
  return taken(files, putData(config, data, npyRow(inputs.look?.shape, targets.look)));
}

function npyRow(shape: readonly number[] | undefined, targets: ReturnType<typeof lookAtNpy>): RowOfData | undefined {
  if (!shape || !targets) return undefined;
  const row = shape.slice(1);
  const columns = targets.shape[1] ?? 1;
  if (targets.classes === undefined || columns !== 1) {
    return row.length === 1
      ? vector(row[0] ?? 1, columns, 'MSELoss')
      : { kind: 'image', shape: row, outputs: columns, loss: 'MSELoss' };
  }
  if (row.length === 3) return image(row, targets.classes);
  return vector(row[0] ?? 1, targets.classes, 'CrossEntropyLoss');
}

function pngs(config: Config, files: Files, names: readonly string[], source: { readonly zip?: string }): Taking {
  const data = parsePart(dataSchema, { type: 'png', ...source }, 'The data');
  const classes = foldersOf(names).length;
  const row = data.type === 'png' && classes > 1 ? image([1, data.size, data.size], classes) : undefined;
  return taken(files, putData(config, data, row));
}
