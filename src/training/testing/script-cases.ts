/**
 * The runs whose PyTorch listings are held against what real PyTorch printed: their configurations, the listing of
 * each, and the numbers that it must print. Recorded with `LOCKSTEP_RECORD=1 npx vitest run --project pure
 * src/training/parity/script-losses`, which needs a torch; LOCKSTEP_RECORD=NAdam records the cases with that word only.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isOlder } from '../../cli/torch/python';
import { parseConfig } from '../../config/parse-config';
import { PARALLEL_MODES } from '../../parallel/modes';
import type { Config, ConfigInput } from '../../protocol/config';
import type { Report } from '../../protocol/report';
import type { Files } from '../../protocol/session';
import { createBlueprint } from '../blueprint';
import { datasetFile } from '../dataset-file';
import { savedAfter } from './checkpoint-runs';
import type { TorchScript } from './torch-scripts';

interface Recorded {
  /** Which PyTorch printed, where a case does not name another. */
  readonly torch: string;
  readonly cases: Readonly<Record<string, RecordedCase>>;
}

interface RecordedCase {
  readonly script: readonly string[];
  readonly printed: Printed;
  /** Of a case whose numbers a version of PyTorch changed (Described.since): which one printed these. */
  readonly torch?: string;
  /** And what one before it printed, which the run is not meant to have. */
  readonly before?: { readonly torch: string; readonly printed: Printed };
}

/** Of each process, in order. */
export type Printed = readonly (readonly number[])[];

const fixture = (name: string): string => path.resolve(import.meta.dirname, '../fixtures', name);
const read = (name: string): unknown => JSON.parse(readFileSync(fixture(name), 'utf8'));

interface Described {
  readonly name: string;
  readonly config: ConfigInput;
  /** The run goes on from a checkpoint that it saved after so many micro-batches. */
  readonly savedAfter?: number;
  /** The version of PyTorch from which on it computes what it computes now: NAdam was corrected in 2.0. */
  readonly since?: string;
}

export interface ScriptCase {
  readonly name: string;
  readonly since?: string | undefined;
  readonly config: Config;
  readonly script: readonly string[];
  /** The checkpoint, where there is one. */
  readonly files: () => Promise<Files>;
}

/** Scripts that one PyTorch can run. */
export interface ScriptSet {
  readonly name: string;
  /** What the interpreter must have. */
  readonly module: string;
  readonly cases: readonly ScriptCase[];
  readonly recorded: Recorded;
  /** By the names of the cases; those without numbers stay as they are. */
  record(torch: string, printed: ReadonlyMap<string, Printed>): void;
}

function scriptSet(name: string, prefix: string, module: string): ScriptSet {
  const cases = (read(`${prefix}script-cases.json`) as readonly Described[]).map(caseOf);
  const file = `${prefix}script-losses.json`;
  return {
    name,
    module,
    cases,
    recorded: read(file) as Recorded,
    record(torch, printed) {
      const known = read(file) as Recorded;
      const whole = cases.every(({ name: one }) => printed.has(one));
      const given = whole ? torch : known.torch;
      // One case per line: what changed is seen at a glance.
      const rows = cases.flatMap((one) => {
        const numbers = printed.get(one.name);
        const before = known.cases[one.name];
        const row = numbers === undefined ? before : recordedCase(one, { torch, given, numbers }, before);
        // A case that nobody has recorded yet.
        return row === undefined ? [] : [`${JSON.stringify(one.name)}: ${JSON.stringify(row)}`];
      });
      writeFileSync(fixture(file), `{"torch": ${JSON.stringify(given)}, "cases": {\n${rows.join(',\n')}\n}}\n`);
    },
  };
}

interface Printing {
  readonly torch: string;
  /** The torch of the cases that name none. */
  readonly given: string;
  readonly numbers: Printed;
}

/** Where a version of PyTorch changed the numbers, those of the other side of it stay as they were recorded. */
function recordedCase(
  { script, since }: ScriptCase,
  { torch, given, numbers: printed }: Printing,
  known: RecordedCase | undefined,
): RecordedCase {
  if (since !== undefined && isOlder(torch, since))
    return { printed: [], ...known, script, before: { torch, printed } };
  const { before } = known ?? {};
  return { script, printed, ...(torch === given ? {} : { torch }), ...(before ? { before } : {}) };
}

/** What that version of PyTorch must print. */
export function printedIn(torch: string, { since }: ScriptCase, known: RecordedCase | undefined): Printed {
  const older = since !== undefined && isOlder(torch, since);
  return (older ? known?.before?.printed : known?.printed) ?? [];
}

/** A run whose listing is to be run. */
export function caseOf({ name, config: input, savedAfter: saved, since }: Described): ScriptCase {
  const whole: ConfigInput = { ...input, device: 'cpu', compareSingle: false };
  const config = parseConfig(saved === undefined ? whole : { ...whole, resume: 'run' });
  const { listing, facets } = PARALLEL_MODES[config.mode];
  // Only a blueprint knows the shapes that a mode settles its configuration by.
  const settled = facets(config).compiler.settle ? createBlueprint(config, {}).config : config;
  const script = listing
    .get()(settled)
    .map(({ text }) => text);
  return { name, since, config, script, files: async () => (saved === undefined ? {} : savedAfter(whole, saved)) };
}

export const SCRIPTS: ScriptSet = scriptSet('scripts', '', 'torch.distributed');
/** torch has pipelines from 2.6 on. */
const PIPELINE_SCRIPTS = scriptSet('scripts of pipelines', 'pipeline-', 'torch.distributed.pipelining');
export const SCRIPT_SETS: readonly ScriptSet[] = [SCRIPTS, PIPELINE_SCRIPTS];

/** With the rows that the script loads, if it does. */
export async function torchScript({ config, script, files }: ScriptCase): Promise<TorchScript> {
  const code = script.join('\n');
  const needsRows = code.includes("load_file('dataset.safetensors')");
  const checkpoint = await files();
  const rows = needsRows ? { 'dataset.safetensors': datasetFile(createBlueprint(config, checkpoint)) } : {};
  return { code, processes: isPerRank(config) ? config.worldSize : 1, files: { ...checkpoint, ...rows } };
}

/** One process per rank, started by torchrun. */
const isPerRank = ({ mode }: Config): boolean => mode === 'pipeline' || PER_RANK.has(mode);
/** Modes whose scripts print the losses of every rank. */
const PER_RANK: ReadonlySet<Config['mode']> = new Set(['ddp', 'sharded', 'tensor']);

/**
 * What the script of this run prints: each rank of DDP, of shards and of tensor groups its own losses, one rank of a
 * pipeline the mean over replicas, else one process those of all workers in turn. NaN: a rank that has run out.
 */
export function printedBy(config: Config, { losses }: Report): Printed {
  const { mode, worldSize } = config;
  const real = (numbers: readonly number[]): readonly number[] => numbers.filter((loss) => !Number.isNaN(loss));
  if (mode === 'pipeline') {
    const [printing] = PARALLEL_MODES[mode].facets(config).steps.lossRanks?.(config) ?? [];
    return Array.from({ length: worldSize }, (_, rank) => (rank === printing ? losses.map(({ loss }) => loss) : []));
  }
  if (!PER_RANK.has(mode)) return [real(losses.flatMap(({ perRank }) => perRank))];
  return Array.from({ length: worldSize }, (_, rank) => real(losses.map(({ perRank }) => perRank[rank] ?? Number.NaN)));
}
