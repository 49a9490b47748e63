/** What happens in a round, in one sentence, from the messages that ran in it. Pure. */
import type { LabResult, LabRound, LabTransfer } from '../../protocol/lab';
import { formatCount, formatSize } from '../draw/format';
import { APPLY_WORDS, OP_DOES, REDUCING } from './lab-words';

const list = (ranks: readonly number[]): string => {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const shown = ranks.length > 5 ? [...ranks.slice(0, 4), '…'] : ranks;
  return `ranks ${shown.join(', ')}`;
};
const plural = (n: number, word: string): string => `${formatCount(n)} ${word}${n === 1 ? '' : 's'}`;

/** The number of ranks in a bit mask. */
export function contributorsIn(mask: number): number {
  let n = 0;
  for (let left = mask; left > 0; left >>= 1) n += left & 1;
  return n;
}

/** Words for who sends how much to whom, if one phrase fits all messages. */
function route(transfers: readonly LabTransfer[], worldSize: number, what: string): string {
  const [first] = transfers;
  if (!first) return 'nothing is sent';
  const distance = (t: LabTransfer) => (t.to - t.from + worldSize) % worldSize;
  const alike = transfers.every((t) => distance(t) === distance(first));
  const mutual = transfers.every((t) => transfers.some((o) => o.from === t.to && o.to === t.from));
  if (transfers.length === 1) return `rank ${first.from} sends ${what} to rank ${first.to}`;
  if (mutual) {
    const pairs = transfers.filter((t) => t.from < t.to).map((t) => `${t.from} and ${t.to}`);
    return `ranks exchange ${what} in pairs, ${pairs.slice(0, 4).join(', ')}${pairs.length > 4 ? ' …' : ''}`;
  }
  if (alike && transfers.length === worldSize) {
    const d = distance(first);
    const whom = d === 1 ? 'after it' : d === worldSize - 1 ? 'before it' : `${d} places after it`;
    return `every rank sends ${what} to the rank ${whom}`;
  }
  const [senders, receivers] = [distinct(transfers.map((t) => t.from)), distinct(transfers.map((t) => t.to))];
  return `${list(senders)} ${senders.length === 1 ? 'sends' : 'send'} ${what} to ${list(receivers)}`;
}

/**
 * Whether every rank sends to the rank before it in some round: the ring's direction in gloo, opposite to textbooks.
 */
export function turnsAsGloo({ algorithm, rounds, request: { worldSize: n } }: LabResult): boolean {
  const back = ({ transfers }: LabRound) =>
    transfers.length > 0 && transfers.every(({ from, to }) => (from - to + n) % n === 1);
  return algorithm === 'ring' && n > 2 && rounds.some(back);
}

const distinct = (ranks: readonly number[]) => [...new Set(ranks)];

function amount(transfers: readonly LabTransfer[]): string {
  const sizes = transfers.map((t) => t.bytes);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return `${least === most ? '' : 'up to '}${plural(most / 4, 'element')} (${formatSize(most)})`;
}

/** Words for how complete the arrived sums are. */
function sums(result: LabResult, { transfers, state }: LabRound): string {
  if (!transfers.some((t) => t.apply !== 'put')) return '';
  const counts = transfers.map((t) => {
    const buffer = result.buffers.findIndex((b) => b.name === t.target.buffer);
    const chunk = result.buffers[buffer]?.chunks.findIndex((c) => c.offset === t.target.offset) ?? -1;
    return contributorsIn(state[buffer]?.[t.to]?.[chunk]?.contributors ?? 0);
  });
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const n = result.request.worldSize;
  const [chunks, holds] = transfers.length === 1 ? ['chunk that arrived', 'holds'] : ['chunks that arrived', 'hold'];
  if (least === n) return ` The ${chunks} now ${holds} the values of all ${n} ranks.`;
  const how = least === most ? `${most}` : `${least} to ${most}`;
  return ` The ${chunks} now ${holds} the values of ${how} of ${n} ranks.`;
}

/** Position 0 is the start, k the state after round k. */
export function labSentence(result: LabResult, position: number): string {
  const { request, rounds, length } = result;
  const round = rounds[position - 1];
  if (!round) return start(result);
  const kinds = [...new Set(round.transfers.map((t) => t.apply))];
  const does =
    kinds.length === 1 && kinds[0] && request.op !== 'barrier' ? `; the receiver ${APPLY_WORDS[kinds[0]]}` : '';
  const parts = [...new Set(round.transfers.map((t) => t.part))];
  const part = parts.length === 1 && parts[0] ? `, ${parts[0]}` : '';
  const token = request.op === 'barrier';
  const what = route(round.transfers, request.worldSize, token ? 'a token' : amount(round.transfers));
  const end = position === rounds.length && length > 0 ? ` Done: ${OP_DOES[request.op]}.` : '';
  return `Round ${position} of ${rounds.length}${part}: ${what}${does}.${sums(result, round)}${end}`;
}

function start({ request, length, rounds }: LabResult): string {
  const { op, root, worldSize } = request;
  const size = `${plural(length, 'element')} (${formatSize(4 * length)})`;
  const idle = rounds.length === 0 ? ' Nothing has to be sent.' : '';
  if (op === 'barrier') return `Start: ${OP_DOES[op]}.${idle}`;
  if (op === 'broadcast' || op === 'scatter') return `Start: rank ${root} has ${size}; ${OP_DOES[op]}.${idle}`;
  const who = worldSize === 1 ? 'the only rank has' : `each of ${worldSize} ranks has`;
  const own = REDUCING.has(op) ? ' of its own' : '';
  return `Start: ${who} ${size}${own}; ${OP_DOES[op]}.${idle}`;
}
