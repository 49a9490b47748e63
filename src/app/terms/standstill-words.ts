/**
 * Words about a group that hangs: one sentence for the stage and for screen readers, and words for each rank's room.
 * Pure.
 */
import { stepWords } from '../../protocol/micro-batches';
import type { RankStanding, Standstill } from '../../protocol/session-events';
import { capital } from '../../trace/capital';
import { stepNumber } from '../draw/format';

/** 'rank 2', 'worker 2', 'server'. */
const nameOf = ({ ranks }: Standstill, rank: number | undefined): string =>
  ranks.find((one) => one.rank === rank)?.name ?? `rank ${rank}`;

/** 'rank 2'; 'ranks 0, 1 and 3'; 'server and worker 1'. */
function list(standstill: Standstill, ranks: readonly number[]): string {
  const plain = standstill.ranks.every(({ name }) => name === undefined);
  const words = ranks.map((rank) => (plain ? String(rank) : nameOf(standstill, rank)));
  const last = words.pop() ?? '';
  if (words.length === 0) return plain ? `rank ${last}` : last;
  return `${plain ? 'ranks ' : ''}${words.join(', ')} and ${last}`;
}

/** '58 s until the timeout'; '' if no rank waits any longer. */
export function timeLeft({ waitedMs, timeoutMs }: Standstill): string {
  if (waitedMs === undefined) return '';
  return `${Math.max(0, Math.ceil((timeoutMs - waitedMs) / 1000))} s until the timeout`;
}

const placeOf = ({ at }: RankStanding): string => (at === undefined ? 'it has not reported where' : `at ${at}`);

/**
 * Which rank is late or has ended, which ranks wait for it in which collective, and the remaining time; without a full
 * stop.
 */
export function standstillSentence(standstill: Standstill): string {
  const { ranks, microBatch } = standstill;
  const cause = ranks.find(({ is }) => is === 'ended' || is === 'late');
  const left = timeLeft(standstill);
  const said: string[] = [];
  if (cause)
    said.push(`${nameOf(standstill, cause.rank)} ${cause.is === 'ended' ? 'has ended' : `is late, ${placeOf(cause)}`}`);
  const waiting = ranks.filter(({ is }) => is === 'waiting');
  const awaited = new Set(waiting.map(({ waitsFor }) => waitsFor));
  // The ranks that wait for the late rank come right after it, so that "it" is clear.
  const first = [...awaited].filter((whom) => whom !== undefined && whom === cause?.rank);
  for (const whom of new Set([...first, ...awaited])) {
    const group = waiting.filter(({ waitsFor }) => waitsFor === whom);
    const inWhat = [...new Set(group.map(({ at }) => at))];
    const who = list(
      standstill,
      group.map(({ rank }) => rank),
    );
    const where = inWhat.length === 1 && inWhat[0] !== undefined ? ` in ${inWhat[0]}` : '';
    said.push(
      `${who} ${group.length === 1 ? 'waits' : 'wait'} for ${whom === cause?.rank ? 'it' : nameOf(standstill, whom)}${where}`,
    );
  }
  // The time comes first, because the end of a long sentence may not fit.
  const step = capital(stepWords(microBatch, standstill, stepNumber));
  return `${step} is stuck${left === '' ? '' : `, ${left}`}: ${said.join('; ')}`;
}

/** The words in a rank's room, longest first; undefined: the rank continues its own work. */
export function standingWords(standstill: Standstill, rank: number): readonly string[] | undefined {
  const own = standstill.ranks.find((one) => one.rank === rank);
  if (!own) return undefined;
  const left = timeLeft(standstill);
  const short = left.replace(' until the timeout', ' left');
  switch (own.is) {
    case 'ended':
      return ['ended: its process is gone', 'ended'];
    case 'late':
      return [`late: ${placeOf(own)}`, 'late'];
    case 'waiting': {
      const whom = `waits for ${nameOf(standstill, own.waitsFor)}`;
      const withLeft = short === '' ? [] : [`${whom}, ${short}`];
      return [`${whom} in ${own.at}${left === '' ? '' : `; ${left}`}`, ...withLeft, whom, 'waits'];
    }
    case 'running':
      return undefined;
  }
}
