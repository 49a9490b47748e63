/**
 * Describes a recording in sentences: which ranks are late and why, how much communication is hidden, why ranks are
 * idle.
 */
import { brief } from '../../base/brief';
import { durationText, percentText, ranksText } from '../recorded-numbers';
import type { Recording } from '../recording';
import type { IdleShare, RecordedStraggler, RecordingAnalysis, StepOfRank } from '../recording-analysis';

type Found = Omit<RecordingAnalysis, 'sentences'>;

export function sentencesOf(recording: Recording, found: Found): readonly string[] {
  const [only] = found.ranks;
  const sentences =
    recording.ranks.length === 1 && only
      ? [stepSentence(only), ...idleSentences(found), WHO_WAITS]
      : [stragglerSentence(recording, found), ...overlapSentences(found), ...idleSentences(found)];
  return sentences.filter((sentence) => sentence !== '');
}

/** The last sentence, if the recording cannot show who waits. */
const WHO_WAITS = 'Record at least two ranks to see which rank the others wait for.';

/** The sentence about the only recorded rank. */
function stepSentence({ rank, durUs, computeUs, communicationUs, exposedUs, idleUs }: StepOfRank): string {
  const part = (us: number): string => percentText(us / durUs);
  const communication =
    communicationUs > 0
      ? `communicates for ${durationText(communicationUs)}, of which ${durationText(exposedUs)} is not hidden behind computation`
      : 'records no communication';
  return `A step of rank ${rank} takes ${durationText(durUs)} (mean): it computes for ${part(computeUs)} of that, ${communication}, and is idle for ${part(idleUs)}.`;
}

/** The rank is late clearly more often than by chance (1 of 2 with two ranks), and most waiting is for it. */
function isStraggler({ lateSteps, steps, causedUs }: RecordedStraggler, ranks: number, waitedUs: number): boolean {
  return steps > 0 && lateSteps / steps >= 0.5 + 0.5 / ranks && causedUs > 0.5 * waitedUs;
}

/** The share of all time below which ranks hardly wait. */
const LEAST_WAITING = 0.03;

function stragglerSentence(recording: Recording, { stragglers, waits, ranks }: Found): string {
  const [worst] = stragglers;
  if (!worst)
    return 'No collective was recorded on two ranks, so the recording does not show which rank waited for which.';
  const waitedUs = waits.us.flat().reduce((sum, us) => sum + us, 0);
  // Durations of ranks are means over their steps, but the waiting is the sum over all steps.
  const steps = Math.max(1, recording.steps.length);
  const spentUs = steps * ranks.reduce((sum, { durUs }) => sum + durUs, 0);
  if (waitedUs < LEAST_WAITING * spentUs) return `Ranks hardly wait for each other: ${durationText(waitedUs)} in all.`;
  if (!isStraggler(worst, recording.ranks.length, waitedUs)) {
    return `The ranks do not all wait for the same rank: ${lastSentence(stragglers, recording.ranks.length)} Together they waited ${durationText(waitedUs)}.`;
  }
  const { rank, last, of, lateSteps, steps: count, byUs, causedUs, cause } = worst;
  const late = `Rank ${rank} is a straggler: it joins last in ${last} of ${of} collectives. In ${lateSteps} of ${count} steps it joins the first collective last, by ${durationText(byUs)} (median). The other ranks waited ${durationText(causedUs)} for it in all.`;
  if (!cause) return `${late} No recorded work took rank ${rank} longer than the other ranks.`;
  const others = cause.othersUs < 0.5 ? 'no time' : durationText(cause.othersUs);
  return `${late} Before that it spends ${durationText(cause.us)} per step in ${brief(cause.name)}; the other ranks spend ${others} there.`;
}

/** Names the rank that arrives last most often, or all such ranks. `ranks`: how many ranks the recording has. */
export function lastSentence(stragglers: readonly RecordedStraggler[], ranks: number): string {
  const most = Math.max(...stragglers.map(({ last }) => last));
  const often = stragglers.filter(({ last }) => last === most).toSorted((a, b) => a.rank - b.rank);
  const of = often[0]?.of ?? 0;
  const names = often.map(({ rank }) => rank);
  if (names.length === 1) return `rank ${names[0]} joins last most often: in ${most} of ${of} collectives.`;
  if (names.length === ranks) return `all ranks join last equally often: in ${most} of ${of} collectives.`;
  return `${ranksText(names)} each join last in ${most} of ${of} collectives, the other ranks in fewer.`;
}

const mean = (ranks: readonly StepOfRank[], of: (rank: StepOfRank) => number): number =>
  ranks.reduce((sum, rank) => sum + of(rank), 0) / Math.max(1, ranks.length);

function overlapSentences({ ranks }: Found): readonly string[] {
  const communication = mean(ranks, ({ communicationUs }) => communicationUs);
  if (communication <= 0) return ['No communication was recorded.'];
  const [step, overlap] = [mean(ranks, ({ durUs }) => durUs), mean(ranks, ({ overlapUs }) => overlapUs)];
  const [exposed, waiting] = [mean(ranks, ({ exposedUs }) => exposedUs), mean(ranks, ({ waitingUs }) => waitingUs)];
  return [
    `A step takes ${durationText(step)} on a rank (mean). The rank communicates for ${durationText(communication)}: ${percentText(overlap / communication)} of that is hidden behind computation, and ${durationText(exposed)} is exposed. In ${durationText(waiting)} of the exposed time it waits for the last rank to join.`,
  ];
}

export const CAUSE_WORDS = {
  loader: 'loading data',
  launch: 'launching work',
  annotation: 'in',
  python: 'between operators',
} as const;

export const idleText = ({ cause, name }: IdleShare): string =>
  cause === 'annotation' ? name : name === '' ? CAUSE_WORDS[cause] : `${CAUSE_WORDS[cause]} (${name})`;

function idleSentences({ ranks }: Found): readonly string[] {
  const idlest = [...ranks].sort((a, b) => b.idleUs - a.idleUs)[0];
  const [share] = idlest?.idle ?? [];
  if (!idlest || !share || idlest.idleUs < 0.02 * idlest.durUs) return [];
  return [
    `Rank ${idlest.rank} is idle longest: ${durationText(idlest.idleUs)} of ${durationText(idlest.durUs)} per step, of which ${durationText(share.us)} ${share.cause === 'annotation' ? 'in ' : ''}${brief(idleText(share))}.`,
  ];
}
