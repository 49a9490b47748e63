/**
 * The PyTorch script of a figure's own run, as the exporter prints it: the lines in question, with the whole script in
 * a fold.
 */
import { figureOf, runOf, usePage } from './lesson-context';

interface CodeProps {
  readonly figure: string;
  /** Lines that contain one of these words are marked. */
  readonly mark: readonly string[];
  /** Number of lines shown before and after each marked line. */
  readonly around?: number;
}

export function Code({ figure, mark, around = 2 }: CodeProps) {
  const page = usePage();
  figureOf(page, figure);
  const run = runOf(page, figure);
  if (!run) return null;
  const lines = run.listing.map(({ text }) => text);
  const marked = lines.flatMap((line, index) => (mark.some((words) => line.includes(words)) ? [index] : []));
  for (const words of mark)
    if (!lines.some((line) => line.includes(words)))
      throw new Error(`Lesson "${page.name}": the script of figure "${figure}" has no line with "${words}".`);
  const shown = excerpt(lines, marked, around);
  const whole = lines.join('\n');
  return (
    <div className="code">
      <Highlighted code={shown.lines.join('\n')} marked={shown.marked} />
      <details>
        <summary>The whole script of this figure’s run</summary>
        <Highlighted code={whole} marked={marked} />
      </details>
      {run.needs && (
        <p className="code-needs">
          The script needs PyTorch {run.needs.torch} or later, for {run.needs.why}.
        </p>
      )}
    </div>
  );
}

/** A whole file of the lesson, in a fold under its name. */
export function FileText({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div className="code">
      <details>
        <summary>{name}</summary>
        <Highlighted code={text.trimEnd()} marked={[]} />
      </details>
    </div>
  );
}

function Highlighted({ code, marked }: { code: string; marked: readonly number[] }) {
  const page = usePage();
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by Shiki from the exporter's script
  return <div dangerouslySetInnerHTML={{ __html: page.highlight(code, marked) }} />;
}

interface Excerpt {
  readonly lines: readonly string[];
  /** Which of these lines are marked. */
  readonly marked: readonly number[];
}

/** The marked lines with their neighbours; an ellipsis stands for lines left out between them. */
export function excerpt(lines: readonly string[], marked: readonly number[], around: number): Excerpt {
  const near = (index: number) => marked.some((line) => Math.abs(line - index) <= around);
  const kept: { text: string; index: number }[] = [];
  lines.forEach((text, index) => {
    if (!near(index)) return;
    const last = kept.at(-1);
    if (last && last.index < index - 1) kept.push({ text: `${/^\s*/.exec(text)?.[0] ?? ''}# ...`, index: index - 1 });
    kept.push({ text, index });
  });
  return {
    lines: kept.map(({ text }) => text),
    marked: kept.flatMap(({ index, text }, place) =>
      marked.includes(index) && !text.endsWith('# ...') ? [place] : [],
    ),
  };
}
