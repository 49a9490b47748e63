/**
 * Shows the difference between two PyTorch scripts, line by line. ScriptDiff: the script of a figure's run as the
 * exporter prints it, and the script of the same run with other settings (`from`), which the reader starts with.
 * FileDiff: two files that belong to a lesson, or a part of them. Called by the lessons' texts.
 */
import type { Changes } from '../lesson';
import { runOf, usePage } from './lesson-context';
import { type DiffLine, lineDiff, nearChanges, partOf } from './line-diff';

interface ScriptDiffProps {
  readonly figure: string;
  readonly from: Changes;
  /** Lines that are shown before and after each change. */
  readonly around?: number;
}

const SIGNS = { same: ' ', out: '-', in: '+' } as const;
/** What screen readers read before a line. */
const SAID = { same: '', out: 'removed: ', in: 'new: ' } as const;

export function ScriptDiff({ figure, from, around = 1 }: ScriptDiffProps) {
  const page = usePage();
  const [before, after] = [runOf(page, figure, from), runOf(page, figure)];
  if (!before || !after) return null;
  const texts = ({ listing }: typeof before) => listing.map(({ text }) => text);
  const lines = nearChanges(lineDiff(texts(before), texts(after)), around);
  if (!lines.some(({ kind }) => kind !== 'same'))
    throw new Error(`Lesson "${page.name}": the scripts of figure "${figure}" do not differ.`);
  return <DiffListing lines={lines} />;
}

interface FileDiffProps {
  /** Texts of the two files. */
  readonly before: string;
  readonly after: string;
  /** Words in the first and last line of the part shown; left out: the whole files. */
  readonly from?: string;
  readonly to?: string;
}

export function FileDiff({ before, after, from, to }: FileDiffProps) {
  const lines = partOf(lineDiff(before.trimEnd().split('\n'), after.trimEnd().split('\n')), from, to);
  if (!lines.some(({ kind }) => kind !== 'same')) throw new Error(`From "${from}" to "${to}" nothing changes.`);
  return <DiffListing lines={lines} />;
}

function DiffListing({ lines }: { readonly lines: readonly DiffLine[] }) {
  const page = usePage();
  const coloured = page.highlight(lines.map(({ text }) => text).join('\n'), []);
  const [, head = '', code = '', foot = ''] = /^(<pre[^>]*><code>)([\s\S]*)(<\/code><\/pre>)$/.exec(coloured) ?? [];
  const rows = code.split('\n').map((html, index) => {
    const { kind } = lines[index] ?? { kind: 'same' as const };
    const said = kind === 'same' ? '' : `<span class="visually-hidden">${SAID[kind]}</span>`;
    return `<span class="diff-line" data-diff="${kind}">${said}<span class="diff-sign" aria-hidden="true">${SIGNS[kind]}</span> ${html}</span>`;
  });
  return (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: made by Shiki from the exporter's scripts
    <div className="code diff" dangerouslySetInnerHTML={{ __html: `${head}${rows.join('\n')}${foot}` }} />
  );
}
