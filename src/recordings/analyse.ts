/**
 * Analyses a recording: how each rank spends its steps, bandwidths, which ranks wait for which. Called by the page's
 * worker and by `lockstep import`.
 */
import { collectiveFigures, summaries } from './analysis/collective-figures';
import { ownParts } from './analysis/own-parts';
import { sentencesOf } from './analysis/sentences';
import { meanOf, stepShares } from './analysis/step-shares';
import { stragglers, waitMatrix } from './analysis/stragglers';
import type { Recording } from './recording';
import type { RecordingAnalysis } from './recording-analysis';

export function analyse(recording: Recording): RecordingAnalysis {
  const ranks = recording.ranks.map(({ rank }) => rank);
  const parts = ownParts(recording.collectives);
  const stepsOf = recording.ranks.map((rank) => stepShares(rank, parts.get(rank.rank) ?? []));
  const steps = stepsOf.flat();
  const collectives = recording.collectives.map(collectiveFigures);
  const found = {
    steps: steps.sort((a, b) => (a.step ?? 0) - (b.step ?? 0) || a.rank - b.rank),
    ranks: ranks.map((rank, index) => meanOf(rank, stepsOf[index] ?? [])),
    collectives,
    kinds: summaries(recording.collectives, collectives),
    stragglers: stragglers(recording, collectives),
    waits: waitMatrix(ranks, recording.collectives, collectives),
  };
  return { ...found, sentences: sentencesOf(recording, found) };
}
