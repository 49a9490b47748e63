/** The output of `lockstep import`: tables, or one object for JSON. */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { printable } from '../base/printable';
import { analyse } from './analyse';
import { analyseFlight } from './analyse-flight';
import { idleText } from './analysis/sentences';
import type { Imported, RecordingNotice } from './imported';
import { bandwidthText, bytesText, durationText } from './recorded-numbers';
import type { ClockOffset, Recording } from './recording';
import type { CollectiveSummary, FlightAnalysis, RecordingAnalysis, StepOfRank } from './recording-analysis';
import type { CollectivesTable } from './tables/collectives-table';
import type { WhatIf } from './what-if';

export interface Findings {
  readonly imported: Imported;
  readonly step: number | undefined;
  readonly analysis: RecordingAnalysis | undefined;
  readonly flight: FlightAnalysis | undefined;
  readonly whatIf: WhatIf | undefined;
}

/** Throws a LockstepError if nothing was read, or if the step does not exist. */
export function findings(imported: Imported, step: number | undefined, whatIf?: WhatIf): Findings {
  const { recording, flight, tables, notices } = imported;
  if (!recording && !flight && tables.length === 0) {
    const [first] = notices;
    const reason = first ? noticeText(first) : 'no file was given.';
    throw new LockstepError('data', `nothing could be read: ${reason}`, WHAT);
  }
  if (step !== undefined && recording?.steps.includes(step) !== true) {
    const known = recording?.steps ?? [];
    const have = known.length === 0 ? 'none is marked' : `there are ${known.slice(0, 20).join(', ')}`;
    throw new LockstepError(
      'config',
      `step ${step} is not in the recording; ${have}.`,
      '--step expects the N of ProfilerStep#N.',
    );
  }
  return {
    imported,
    step,
    analysis: recording && analyse(recording),
    flight: flight && analyseFlight(flight),
    whatIf,
  };
}

const WHAT =
  "import reads torch.profiler's traces (.json, .json.gz), flight recorder dumps, Chrome traces and tables of nccl-tests.";

export function importText({ imported, step, analysis, flight, whatIf }: Findings): string {
  const { recording, tables, notices } = imported;
  const blocks: (readonly string[])[] = [];
  if (recording && analysis) {
    blocks.push([headline(recording), ...clockLines(recording.clocks)], rankTable(recording, analysis, step));
    blocks.push(collectivesTable(collectiveRows(recording, analysis, step)), analysis.sentences);
  }
  if (whatIf) blocks.push(whatIf.sentences);
  if (flight) {
    const said = flight.sentences.slice(0, MOST_ROWS);
    blocks.push(['Flight recorder', ...said, ...andMore(flight.sentences.length - said.length)]);
  }
  blocks.push(
    ...tables.map(tableLines),
    notices.map((notice) => `${notice.level}: ${noticeText(notice)}`),
  );
  const filled = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'));
  return printable(`${filled.join('\n\n')}\n`);
}

/** Leaves spans out: a trace has half a million of them, and the user has the file. */
export function importJson({ imported, step, analysis, flight, whatIf }: Findings): object {
  const { recording, sources, notices, tables } = imported;
  const summary = recording && {
    title: recording.title,
    clock: recording.clock,
    worldSize: recording.worldSize,
    ranks: recording.ranks.map(({ rank, rankFrom, file, host, steps }) => ({ rank, rankFrom, file, host, steps })),
    steps: recording.steps,
    clocks: recording.clocks,
    durUs: recording.durUs,
    spanCount: recording.spanCount,
    collectives: recording.collectives.map(({ parts, ...of }) => ({
      ...of,
      parts: parts.map(({ rank, startUs, endUs }) => ({ rank, startUs, endUs })),
    })),
  };
  const shown =
    analysis && step !== undefined ? { ...analysis, steps: analysis.steps.filter((s) => s.step === step) } : analysis;
  return { sources, notices, recording: summary, analysis: shown, flight, tables, modelled: whatIf };
}

export function noticeText({ text, place }: RecordingNotice): string {
  const at = [
    place.file,
    place.line === undefined ? '' : `line ${place.line}`,
    place.byte === undefined ? '' : `byte ${place.byte.toLocaleString('en')}`,
    place.event === undefined ? '' : `event ${place.event.toLocaleString('en')}`,
  ];
  return `${at.filter((part) => part !== '').join(', ')}: ${text}`;
}

function headline({ title, clock, durUs, steps, spanCount, ranks }: Recording): string {
  const isMarked = ranks.some((rank) => rank.steps.some(({ marked }) => marked));
  const which = steps.length > 1 ? `steps ${steps[0]} to ${steps.at(-1)}` : `step ${steps[0] ?? 0}`;
  const times = clock === 'modelled' ? ', times from a cost model' : '';
  return `${title}: ${durationText(durUs)}, ${isMarked ? which : 'no step marked'}, ${spanCount.toLocaleString('en')} spans${times}`;
}

function clockLines(clocks: readonly ClockOffset[]): readonly string[] {
  const found = clocks.filter(({ collectives }) => collectives > 0);
  if (found.length === 0) return [];
  const moved = found.filter(({ appliedUs }) => appliedUs !== 0);
  const most = Math.max(...found.map(({ residualUs }) => residualUs));
  if (moved.length === 0) {
    const apart = Math.max(...found.map(({ offsetUs }) => Math.abs(offsetUs)));
    return [
      `The clocks of the ranks were not moved: judged by the ends of collectives they differ by at most ${durationText(apart)} (± ${durationText(most)}).`,
    ];
  }
  const list = moved.slice(0, 8).map(({ rank, appliedUs }) => `rank ${rank} by ${durationText(-appliedUs)}`);
  return [
    `The clocks of some ranks were moved so that collectives end at the same time on all ranks: ${list.join(', ')}${moved.length > 8 ? ', ...' : ''} (± ${durationText(most)}).`,
  ];
}

function rankTable(recording: Recording, analysis: RecordingAnalysis, step: number | undefined): readonly string[] {
  const all = step === undefined ? analysis.ranks : analysis.steps.filter((of) => of.step === step);
  const rows = all.slice(0, MOST_RANKS);
  const count = recording.steps.length;
  const what = step !== undefined ? `Step ${step}` : count > 1 ? `A step, mean of ${count}` : 'The step';
  const line = (of: StepOfRank): readonly string[] => {
    const [most] = of.idle;
    const shares = [of.durUs, of.computeUs, of.communicationUs, of.overlapUs, of.exposedUs, of.waitingUs, of.idleUs];
    return [
      String(of.rank),
      ...shares.map(durationText),
      most ? `${durationText(most.us)} ${brief(idleText(most), LONGEST_NAME)}` : '',
    ];
  };
  const head = ['rank', 'step', 'compute', 'comm', 'hidden', 'exposed', 'waiting', 'idle', 'mostly'];
  return [
    `${what}: compute + exposed + idle; waiting is the part of exposed before the last rank joins`,
    ...columns([head, ...rows.map(line)], 1),
    ...andMore(all.length - rows.length),
  ];
}

function collectiveRows(
  recording: Recording,
  { kinds, collectives }: RecordingAnalysis,
  step: number | undefined,
): readonly CollectiveSummary[] {
  if (step === undefined) return kinds;
  return recording.collectives
    .filter((of) => of.step === step)
    .flatMap(({ id, kind, group, groupRanks, dtype, bytes }): CollectiveSummary[] => {
      const figures = collectives[id];
      if (!figures) return [];
      const { transferUs, waitedUs, algorithmBandwidth, busBandwidth } = figures;
      const waited = Math.max(0, ...waitedUs);
      return [
        {
          kind,
          group,
          ranks: groupRanks.length,
          dtype,
          bytes,
          count: 1,
          transferUs,
          waitedUs: waited,
          algorithmBandwidth,
          busBandwidth,
        },
      ];
    });
}

/** Collectives are sorted by what they move; ranks and rows of a table are read one by one. */
const MOST_ROWS = 40;
const MOST_RANKS = 256;
/** Longer names are cut. */
const LONGEST_NAME = 60;

const andMore = (count: number): readonly string[] => (count > 0 ? [`... and ${count.toLocaleString('en')} more`] : []);

function collectivesTable(rows: readonly CollectiveSummary[]): readonly string[] {
  if (rows.length === 0) return [];
  const head = ['collective', 'group', 'ranks', 'type', 'size', 'count', 'transfer', 'waited', 'algbw', 'busbw'];
  const body = rows
    .slice(0, MOST_ROWS)
    .map((of) => [
      brief(of.kind, LONGEST_NAME),
      brief(of.group, LONGEST_NAME),
      String(of.ranks),
      brief(of.dtype, LONGEST_NAME),
      of.bytes === 0 ? '?' : bytesText(of.bytes),
      String(of.count),
      durationText(of.transferUs),
      durationText(of.waitedUs),
      bandwidthText(of.algorithmBandwidth),
      bandwidthText(of.busBandwidth),
    ]);
  return [
    'Collectives (medians; transfer: from when the last rank joins to when the last rank ends)',
    ...columns([head, ...body], 2),
    ...andMore(rows.length - body.length),
  ];
}

function tableLines({ file, tool, kind, ranks, rows }: CollectivesTable): readonly string[] {
  const head = [
    'size',
    'count',
    'type',
    ...(rows[0]?.timings ?? []).flatMap(({ label }) => [label, 'algbw', 'busbw', '#wrong']),
  ];
  const body = rows
    .slice(0, MOST_RANKS)
    .map(({ bytes, count, dtype, timings }) => [
      String(bytes),
      String(count),
      dtype,
      ...timings.flatMap(({ timeUs, algorithmBandwidth, busBandwidth, wrong }) => [
        durationText(timeUs),
        bandwidthText(algorithmBandwidth),
        bandwidthText(busBandwidth),
        wrong === undefined ? '-' : String(wrong),
      ]),
    ]);
  const of = ranks === undefined ? '' : `, ${ranks} ranks`;
  const title = `${file}: ${tool}${kind === '' ? '' : `, ${brief(kind, LONGEST_NAME)}`}${of}`;
  return [title, ...columns([head, ...body], 0), ...andMore(rows.length - body.length)];
}

/** The last column is a text where `leftColumns` is 1; columns of numbers go to the right. */
function columns(rows: readonly (readonly string[])[], style: 0 | 1 | 2): readonly string[] {
  const count = rows[0]?.length ?? 0;
  const widths = Array.from({ length: count }, (_, k) => Math.max(...rows.map((row) => row[k]?.length ?? 0)));
  const isLeft = (k: number): boolean => (style === 1 && k === count - 1) || (style === 2 && k === 0);
  return rows.map((row) =>
    `  ${row.map((cell, k) => (isLeft(k) ? cell.padEnd(widths[k] ?? 0) : cell.padStart(widths[k] ?? 0))).join('  ')}`.trimEnd(),
  );
}
