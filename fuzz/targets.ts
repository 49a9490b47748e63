/**
 * The table of fuzzers: a name, the code that tries a case, the number of cases of a short run, and the cases that once
 * broke the promise.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import * as v from 'valibot';
import { PAGE_CONFIG } from '../src/app/edit/page-config';
import { takeFiles } from '../src/app/looks/take-files';
import { same } from '../src/app/model/families';
import { printState } from '../src/app/permalink/link-state';
import { parsePermalink } from '../src/app/permalink/permalink';
import { printPermalink } from '../src/app/permalink/print-permalink';
import { readRun } from '../src/cli/read-run';
import { scheduleText } from '../src/cli/schedule-table';
import { parseCommand } from '../src/cli/usage';
import { parseConfig } from '../src/config/parse-config';
import { makeDataset } from '../src/data/make-dataset';
import { prepareFiles } from '../src/data/prepare-files';
import { runConfig } from '../src/headless/run';
import { readSafetensors } from '../src/interop/safetensors';
import { parseLaunchLine } from '../src/launch/parse-launch-line';
import { type Config, configSchema, type DataConfig, type LossConfig } from '../src/protocol/config';
import type { Notice } from '../src/protocol/notice';
import type { Files } from '../src/protocol/session';
import { complaintsOf } from '../src/schedules/check-schedule';
import { recognise } from '../src/schedules/recognise';
import { fromCsv, toCsv } from '../src/schedules/schedule-text';
import { timingOf } from '../src/schedules/timing';
import { Generator } from '../src/tensor/generator';
import { joinShards } from '../src/training/checkpoint/join-shards';
import { readCheckpoint } from '../src/training/checkpoint/read-checkpoint';
import { anyCommand, anyConfigText, anyLaunchLine } from './arbitraries/commands';
import { anyConfig, runnableConfig } from './arbitraries/configs';
import { anyFile, anyFileOf, type DamagedFile, damaged, WHOLE } from './arbitraries/files';
import { anyLink } from './arbitraries/links';
import { anySchedule } from './arbitraries/schedules';
import { checkNamesFile, checkNamesWord } from './names-input';
import { checkNamesSettings } from './names-settings';
import { checkSentence, keepsPromise } from './promise';
import regressions from './regressions.json';
import { anyKernel, tryKernel } from './try-kernels';
import { anyQuestion, tryQuestion } from './try-questions';
import { anyRecording, tryRecording } from './try-recordings';
import { anyReport, tryReport } from './try-reports';

export interface Target {
  readonly name: string;
  /** In a short run all fuzzers together take seconds. */
  readonly cases: number;
  check(parameters: fc.Parameters<[unknown]>): Promise<void>;
}

function target<T>(
  name: keyof typeof regressions,
  cases: number,
  given: fc.Arbitrary<T>,
  tries: (one: T) => Promise<void>,
): Target {
  const kept = regressions[name] as unknown as readonly T[];
  return {
    name,
    cases,
    check: (parameters) =>
      fc.assert(fc.asyncProperty(given, tries), {
        ...(parameters as fc.Parameters<[T]>),
        examples: kept.map((one): [T] => [one]),
      }),
  };
}

const MOST_NOTICES = 9;

function checkNotices(notices: readonly Notice[]): void {
  for (const { text, hint } of notices) checkSentence(`${text} ${hint}`);
}

/** A link always gives a configuration. If this configuration is written as a link and read again, it is the same. */
async function tryLink(link: string): Promise<void> {
  await keepsPromise(() => {
    const { config, view, state, kept, notices } = parsePermalink(`#${link}`);
    if (!v.safeParse(configSchema, config).success) throw new Error('the configuration of a link is not valid');
    if (notices.length > MOST_NOTICES) throw new Error(`${notices.length} notices`);
    checkNotices(notices);
    const written = printPermalink(config, view, kept, state);
    const again = parsePermalink(`#${written}`);
    if (!same(printState(again.state), printState(state))) throw new Error(`leads elsewhere: ${written}`);
    if (!same(again.config, config)) throw new Error(`written and read again: ${JSON.stringify(again.config)}`);
    // A key that was refused stays in the link, or has a valid value there.
    const keys = new Set(written.split('&').map((pair) => pair.slice(0, pair.indexOf('='))));
    const lost = kept.find(([key]) => /^[\w.]+$/.test(key) && !keys.has(key));
    if (lost) throw new Error(`the link has lost ${lost[0]}`);
  });
}

const tryParse = async (config: unknown): Promise<void> => {
  const { refused } = await keepsPromise(() => parseConfig(config));
  if (refused) checkNamesSettings(refused, config);
};

/** Small enough to train some steps in a moment. */
function small(config: Config): Config | undefined {
  const { data } = config;
  const sizes = JSON.stringify(config.model).match(/\d+/g) ?? [];
  if (sizes.some((size) => Number(size) > 130) || JSON.stringify(config.model).length > 3000) return undefined;
  const fewer = 'samples' in data ? { ...data, samples: Math.min(data.samples, 40) } : data;
  if ('context' in fewer && fewer.context > 64) return undefined;
  const { resume: _r, weights: _w, epochs: _e, ...rest } = config;
  return {
    ...rest,
    data: fewer,
    steps: 2,
    batchSize: Math.min(config.batchSize, 32),
    accumulate: Math.min(config.accumulate, 3),
    device: 'cpu',
    timeoutS: 60,
  };
}

/** Trains two steps on the CPU. */
async function tryRun(input: unknown): Promise<void> {
  const { result, refused } = await keepsPromise(() => parseConfig(input));
  if (refused) checkNamesSettings(refused, input);
  const config = result && small(result);
  if (!config) return;
  const ran = await keepsPromise(() => runConfig(config, {}));
  if (ran.refused) checkNamesSettings(ran.refused, config);
  const report = ran.result?.report;
  if (!report) return;
  checkNotices(report.notices);
  // The run may end with a message of its own: the loss is not finite, or a rank waits until the timeout.
  if (report.error) checkSentence(`${report.error.message} ${report.error.hint}`);
}

const CE: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
const BY_FILES: readonly (readonly [names: readonly string[], data: DataConfig])[] = [
  [['a.csv'], { type: 'csv', file: 'a.csv', header: 'auto', testFraction: 0.2 }],
  [['quoted.csv'], { type: 'csv', file: 'quoted.csv', header: 'auto', target: 'c "d"', testFraction: 0 }],
  [['x.npy', 'y.npy'], { type: 'npy', inputs: 'x.npy', targets: 'y.npy', testFraction: 0 }],
  [
    ['images.idx3-ubyte', 'labels.idx1-ubyte'],
    { type: 'idx', images: 'images.idx3-ubyte', labels: 'labels.idx1-ubyte', testFraction: 0 },
  ],
  [
    ['images.gz', 'labels.idx1-ubyte'],
    { type: 'idx', images: 'images.gz', labels: 'labels.idx1-ubyte', testFraction: 0 },
  ],
  [['set.zip'], { type: 'png', zip: 'set.zip', size: 8, color: false, testFraction: 0 }],
  [['a/1.png', 'b/2.png'], { type: 'png', size: 8, color: true, testFraction: 0 }],
  [['note.txt'], { type: 'text', file: 'note.txt', context: 8, testFraction: 0 }],
];

/** Reads the damaged file as data, together with the undamaged files that belong to it. */
async function tryFile(file: DamagedFile): Promise<void> {
  const bytes = damaged(file);
  const [names, data] = BY_FILES.find(([all]) => all.includes(file.name)) ?? [];
  if (file.name === 'w.safetensors') {
    const { refused } = await keepsPromise(() => readSafetensors(file.name, bytes));
    if (refused) checkNamesFile(refused, [file.name]);
  }
  if (!names || !data) return;
  const files: Files = {
    ...Object.fromEntries(names.map((name) => [name, WHOLE[name]?.() ?? bytes])),
    [file.name]: bytes,
  };
  const { refused } = await keepsPromise(async () =>
    makeDataset(data, CE, new Generator(0), await prepareFiles(data, files)),
  );
  if (refused) checkNamesFile(refused, names);
}

/** Drops the files on the page, together or one at a time. */
async function tryDrop(files: readonly DamagedFile[]): Promise<void> {
  const given = Object.fromEntries(files.map((file) => [file.name, damaged(file)]));
  const { result } = await keepsPromise(() => takeFiles(PAGE_CONFIG, given));
  if (result?.ok === false) checkSentence(`${result.refused.text} ${result.refused.hint}`);
  if (!result?.ok) return;
  const { config } = result.taken;
  if (!v.safeParse(configSchema, config).success) throw new Error(`not valid: ${JSON.stringify(config)}`);
}

let saved: Promise<Files> | undefined;
let inShards: Files | undefined;
/** The two files of one checkpoint, made once. */
const checkpoint = (): Promise<Files> => {
  saved ??= (async () => {
    let files: Files = {};
    await runConfig(
      { device: 'cpu', steps: 1, data: { type: 'xor', samples: 16 }, mode: 'ddp', worldSize: 2 },
      {},
      {
        checkpoint: {
          every: undefined,
          save: async ({ model, state }, shards) => {
            inShards = shards();
            files = { 'c.safetensors': Uint8Array.from(model), 'c.state.safetensors': Uint8Array.from(state) };
          },
        },
      },
    );
    return files;
  })();
  return saved;
};

async function tryCheckpoint(file: DamagedFile): Promise<void> {
  const files = await checkpoint();
  const whole = { [file.name]: () => Uint8Array.from(files[file.name] ?? []) };
  const { refused } = await keepsPromise(() => readCheckpoint('c', { ...files, [file.name]: damaged(file, whole) }));
  if (refused) checkNamesFile(refused, Object.keys(files));
}

async function tryShards(file: DamagedFile): Promise<void> {
  await checkpoint();
  const shards = inShards ?? {};
  const whole = { [file.name]: () => Uint8Array.from(shards[file.name] ?? []) };
  const { refused } = await keepsPromise(() => {
    const joined = joinShards('c', { ...shards, [file.name]: damaged(file, whole) });
    readCheckpoint('c', { 'c.safetensors': joined.model, 'c.state.safetensors': joined.state });
  });
  if (refused) checkNamesFile(refused, [...Object.keys(shards), 'c.safetensors', 'c.state.safetensors']);
}

const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-fuzz-'));

async function tryConfigText(text: string): Promise<void> {
  const file = path.join(folder, 'run.json');
  writeFileSync(file, text);
  writeFileSync(path.join(folder, 'a.csv'), 'x,y\n1,2\n3,4\n');
  await keepsPromise(async () => parseConfig((await readRun({ preset: undefined, config: file })).config));
}

/**
 * A schedule that is refused cannot run, and a schedule that is not refused can run: it has a time, messages and a
 * table.
 */
async function trySchedule(csv: string): Promise<void> {
  const { result: schedule } = await keepsPromise(() => fromCsv(csv));
  if (!schedule) return;
  const complaints = complaintsOf(schedule);
  for (const { message } of complaints) checkSentence(message);
  const { refused } = await keepsPromise(() => {
    if (!(timingOf(schedule).makespan > 0)) throw new Error('a schedule that takes no time');
    const again = fromCsv(toCsv(schedule, { comms: true }));
    if (!same(again, schedule))
      throw new Error('the schedule differs after it was written with messages and read again');
    scheduleText({ ...schedule, name: recognise(schedule) }, 'a schedule');
  });
  if ((refused === undefined) !== (complaints.length === 0))
    throw new Error('complaintsOf and timingOf disagree on whether the schedule can run');
}

export const TARGETS: readonly Target[] = [
  target('links', 300, anyLink, tryLink),
  target('configs', 1500, anyConfig, tryParse),
  target('runs', 120, runnableConfig, tryRun),
  target('files', 700, anyFile, tryFile),
  target('drops', 300, fc.array(anyFile, { minLength: 1, maxLength: 3 }), tryDrop),
  target('checkpoints', 300, anyFileOf(['c.safetensors', 'c.state.safetensors']), tryCheckpoint),
  target('kernels', 300, anyKernel, tryKernel),
  target('shards', 200, anyFileOf(['index.json', 'rank0.safetensors', 'rank1.safetensors']), tryShards),
  target('commands', 1500, anyCommand, async (args) => {
    await keepsPromise(() => parseCommand(args, undefined));
  }),
  target('launchLines', 1500, anyLaunchLine, async (line) => {
    const { refused } = await keepsPromise(() => parseLaunchLine(line));
    if (refused) checkNamesWord(refused, line);
  }),
  target('questions', 300, anyQuestion, tryQuestion),
  target('configFiles', 300, anyConfigText, tryConfigText),
  target('schedules', 200, anySchedule, trySchedule),
  target('imports', 120, anyRecording, tryRecording),
  target('reports', 150, anyReport, tryReport),
];
