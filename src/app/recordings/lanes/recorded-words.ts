/** The words of a recorded timeline: on blocks, in tooltips and for screen readers. Pure. */
import { bandwidthText, bytesText } from '../../../recordings/recorded-numbers';
import type { RecordedCollective, Recording } from '../../../recordings/recording';
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import { spanAt } from '../../../recordings/spans';
import { formatTime, NONE } from '../../draw/format';
import type { Tip } from '../../draw/tip';
import { AT_ONCE_US } from './collective-scene';
import type { FoundAt, SpanAt } from './recorded-scene-types';
import { shortName } from './tones';

type Fact = readonly [string, string];

export const inWords = (kind: string): string => kind.replaceAll('_', '-').replace('allreduce', 'all-reduce');

/** A bandwidth, given in GB/s, as text. */
export const formatBandwidth = (gigabytes: number | undefined): string =>
  gigabytes === undefined ? NONE : bandwidthText(gigabytes);

export function spanOf(recording: Recording, { rank, lane, span }: SpanAt) {
  const owner = recording.ranks[rank];
  const column = owner?.lanes[lane];
  return owner && column && { ...spanAt(owner, column, span), lane: column, owner };
}

export function blockLabels(recording: Recording, at: SpanAt): readonly string[] {
  const collective = recording.collectives[at.collective];
  if (collective) {
    const kind = inWords(collective.kind);
    const size = collective.bytes > 0 ? bytesText(collective.bytes) : '';
    return size === '' ? [kind] : [`${kind} ${size}`, kind, size];
  }
  const span = spanOf(recording, at);
  return span ? [shortName(span.name)] : [];
}

function collectiveFacts(collective: RecordedCollective, analysis: RecordingAnalysis, rank: number): readonly Fact[] {
  const figures = analysis.collectives[collective.id];
  const mine = collective.parts.findIndex((part) => part.rank === rank);
  const part = collective.parts[mine];
  const waited = figures?.waitedUs[mine];
  return [
    ...(collective.bytes > 0 ? [['size', sizeWords(collective)] as const] : []),
    ...(part ? [['takes', formatTime(part.endUs - part.startUs)] as const] : []),
    ...(waited !== undefined && waited > 0 ? [['waits for the last', formatTime(waited)] as const] : []),
    ...(figures ? [['transfer', formatTime(figures.transferUs)] as const] : []),
    ...(figures?.last ? [['last to join', lastWords(figures.last)] as const] : []),
    ...(figures?.busBandwidth === undefined ? [] : [['bus bandwidth', formatBandwidth(figures.busBandwidth)] as const]),
    ['sequence number', sequenceWords(collective)],
  ];
}

export const lastWords = ({ rank, byUs }: { readonly rank: number; readonly byUs: number }): string =>
  byUs < AT_ONCE_US ? 'none: all join at once' : `rank ${rank}, by ${formatTime(byUs)}`;

export const sizeWords = ({ bytes, elements, dtype }: RecordedCollective): string =>
  dtype === '' ? bytesText(bytes) : `${bytesText(bytes)}, ${elements.toLocaleString('en-US')} ${dtype}`;

export const sequenceWords = ({ sequence, sequenceFrom, group }: RecordedCollective): string =>
  `${sequence}${group === '' ? '' : ` of group ${group}`}${sequenceFrom === 'order' ? ', counted in order' : ''}`;

/** The tooltip of an item; `analysis`: that of the same recording. */
export function tipOf(recording: Recording, analysis: RecordingAnalysis, found: FoundAt): Tip {
  if (found.kind === 'crowd') {
    const { startUs, endUs } = found.stretch;
    return {
      title: `${found.count} spans within ${formatTime(endUs - startUs)}`,
      facts: [],
      note: 'Zoom in to tell them apart.',
    };
  }
  if (found.kind === 'idle') {
    const { startUs, endUs, inside } = found.gap;
    return { title: `Idle for ${formatTime(endUs - startUs)}`, facts: [['why', idleWords(inside())]] };
  }
  const span = spanOf(recording, found.at);
  if (!span) return { title: '', facts: [] };
  const collective = recording.collectives[found.at.collective];
  if (collective)
    return { title: inWords(collective.kind), facts: collectiveFacts(collective, analysis, span.owner.rank) };
  return {
    title: span.name,
    facts: [
      ['takes', `${formatTime(span.durUs)} from ${formatTime(span.startUs)}`],
      ['on', span.lane.label],
      ...(span.shapes === '' ? [] : [['shapes', span.shapes] as const]),
      ...(span.detail === '' ? [] : [['detail', span.detail] as const]),
    ],
  };
}

export function idleWords(inside: { readonly name: string; readonly loader: boolean } | undefined): string {
  if (!inside) return 'no recorded operator runs: Python between operators';
  return inside.loader ? `waits for the next batch, in ${inside.name}` : `in ${inside.name}, outside of any operator`;
}
