/**
 * A figure's run as a link of the playground, with some settings changed. Figures always compute on the CPU: their nets
 * are tiny, they start at once, and a live run has the same bits as the run recorded when the site was built.
 */
import { parseLab, printLab } from '../app/permalink/lab-link';
import { type Permalink, parsePermalink } from '../app/permalink/permalink';
import type { Changes } from './lesson';

type Pair = readonly [key: string, text: string];

const ALWAYS: readonly Pair[] = [
  ['device', 'cpu'],
  ['compare', '0'],
];

const pairsOf = (run: string): readonly Pair[] =>
  run.split('&').map((part): Pair => {
    const cut = part.indexOf('=');
    return cut < 0 ? [part, ''] : [part.slice(0, cut), part.slice(cut + 1)];
  });

/** `lab=allReduce(ranks:4)` with `{ ranks: '8' }` has eight ranks; other keys are those of the permalink. */
export function linkOf(run: string, changes: Changes = {}): string {
  const pairs = new Map([...ALWAYS, ...pairsOf(run)]);
  const lab = pairs.get('lab');
  if (lab === undefined) for (const [key, text] of Object.entries(changes)) pairs.set(key, text);
  else pairs.set('lab', changedLab(lab, changes));
  return [...pairs].map(([key, text]) => `${key}=${text}`).join('&');
}

function changedLab(text: string, changes: Changes): string {
  const lab = parseLab(text);
  if (!lab) throw new Error(`The lab cannot show "${text}".`);
  const read = Object.entries(changes).map(([key, value]) => [
    key,
    Number.isNaN(Number(value)) ? value : Number(value),
  ]);
  const changed = parseLab(printLab({ ...lab, ...Object.fromEntries(read) }));
  if (!changed) throw new Error(`The lab cannot show "${text}" with ${JSON.stringify(changes)}.`);
  return printLab(changed);
}

/** Parses the link; a notice about it is a mistake of the lesson. */
export function readLink(link: string): Permalink {
  const read = parsePermalink(link);
  const [notice] = read.notices;
  if (notice) throw new Error(`The link "${link}" is not right: ${notice.text} ${notice.hint}`);
  return read;
}
