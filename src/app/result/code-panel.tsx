/**
 * The PyTorch lines of the mode, with a dot per rank on the line of the rank's event at the cursor. If the mode has a
 * counterpart in tf.distribute, the user can choose TensorFlow's script instead, which has no dots.
 */
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { asLockstepError, type LockstepError } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import { type Counterpart, counterpartOf } from '../../parallel/strategies';
import type { Config } from '../../protocol/config';
import type { CodeLine, StepTrace } from '../../protocol/trace';
import dialogs from '../bar/dialog.module.css';
import { DialogButton } from '../bar/dialog-button';
import { loadedPanel } from '../boundary/loaded-panel';
import { usePalette } from '../draw/canvas-context';
import type { Palette } from '../draw/theme';
import { useController } from '../run/use-controller';
import { deviceText } from '../setup/cluster-panel';
import { useApp, useSettled } from '../state/use-app';
import { AtYourSize } from './at-your-size';
import styles from './code-panel.module.css';

const TakeToPyTorch = loadedPanel(
  'Take it to PyTorch',
  async () => (await import('../take/take-to-pytorch')).TakeToPyTorch,
);

/** For each rank, the anchor of the last event that it has begun; undefined before its first event. */
function anchorsAt(trace: StepTrace | undefined, event: number, ranks: number): readonly (string | undefined)[] {
  const anchors: (string | undefined)[] = Array.from({ length: ranks }, () => undefined);
  let left = ranks;
  for (let i = Math.min(event, (trace?.events.length ?? 0) - 1); i >= 0 && left > 0; i--) {
    const found = trace?.events[i];
    if (!found || found.anchor === '' || anchors[found.rank] !== undefined) continue;
    anchors[found.rank] = found.anchor;
    left--;
  }
  return anchors;
}

const strategyOf = (config: Config): Extract<Counterpart, { strategy: unknown }> | undefined => {
  const found = counterpartOf(config);
  return 'none' in found ? undefined : found;
};

async function tensorflowLines(config: Config): Promise<readonly CodeLine[]> {
  const use = strategyOf(config);
  if (!use) return [];
  const part = await loadPart('The TensorFlow script', () => import('../../interop/tensorflow/script'));
  return part.tensorflowScript(config, use);
}

/** The error as comment lines, shown if Keras has no counterpart for the run. */
const codeOf = ({ message, hint }: LockstepError): readonly CodeLine[] =>
  [message, hint].map((text) => ({ text: `# ${text}`, anchor: 'none' }));

/**
 * The script's lines, requested once a run has begun, so that Play need not wait for the code that writes scripts. If
 * this code cannot be fetched, the panel's error boundary says so and offers to try again.
 */
function useListing(tensorflow: boolean): readonly CodeLine[] {
  const info = useApp((app) => app.info);
  const { listing } = useController();
  const [code, setCode] = useState<readonly CodeLine[]>([]);
  const [problem, setProblem] = useState<LockstepError>();
  useEffect(() => {
    let gone = false;
    if (!info) return;
    setProblem(undefined);
    const asked = tensorflow ? tensorflowLines(info.config) : listing();
    asked.then(
      (lines) => !gone && setCode(lines),
      (thrown: unknown) => {
        if (gone) return;
        const error = asLockstepError(thrown);
        setProblem(error);
        if (tensorflow) setCode(codeOf(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [info, listing, tensorflow]);
  if (problem?.code === 'not-loaded') throw problem;
  return code;
}

/** A longer line (a text as data) is cut after three rows. */
const LONG = 240;

/**
 * The column is narrow, so the indent of a line, and of the words of a comment, is drawn a third as wide; copied text
 * has all of it. A long line goes on below, two letters further in than its start.
 */
function indented(text: string) {
  const [, spaces = '', sign = '', gap = '', words = ''] = /^( *)(#?)( *)(.*)$/s.exec(text) ?? [];
  const indent = `${spaces.length / 3 + 2}ch`;
  return { spaces, sign, gap, words, style: { paddingLeft: `calc(8px + ${indent})`, textIndent: `-${indent}` } };
}

/** May be broken after each opening bracket, so that a long call begins on the line's first row. */
const breakable = (words: string) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move
  words.split(/(?<=\()/).map((part, i) => [i > 0 && <wbr key={i} />, part]);

const Narrow = ({ spaces }: { spaces: string }) => spaces && <span className={styles['indent']}>{spaces}</span>;

interface LineProps {
  readonly text: string;
  /** The ranks on this line, as text, so that the line renders again only if they change. */
  readonly here: string;
  readonly lit: boolean;
  readonly hues: Palette['ranks'];
}

/** The most dots side by side; more ranks are shown as a number. */
const MOST_DOTS = 16;

const Line = memo(function Line({ text, here, lit, hues }: LineProps) {
  const ranks = here.split(' ');
  const { spaces, sign, gap, words, style } = indented(text);
  return (
    <li
      style={style}
      data-long={text.length > LONG || undefined}
      data-here={here !== '' || undefined}
      data-lit={lit || undefined}
    >
      <code>
        <Narrow spaces={spaces} />
        {sign}
        <Narrow spaces={gap} />
        {words ? breakable(words) : ' '}
      </code>
      {here !== '' && (
        <span className={styles['cursors']}>
          {ranks.length > MOST_DOTS ? (
            <span title={`ranks ${ranks.join(', ')}`}>
              {ranks.length} ranks<span className="visually-hidden"> are here</span>
            </span>
          ) : (
            ranks.map((rank) => (
              <i key={rank} style={{ background: hues[Number(rank) % hues.length] }} title={`rank ${rank}`}>
                <span className="visually-hidden">rank {rank} is here</span>
              </i>
            ))
          )}
        </span>
      )}
    </li>
  );
});

interface FrameworksProps {
  readonly tensorflow: boolean;
  readonly onChoose: (tensorflow: boolean) => void;
}

const Frameworks = ({ tensorflow, onChoose }: FrameworksProps) => (
  <span className={styles['frameworks']}>
    {(['PyTorch', 'TensorFlow'] as const).map((framework) => (
      <button
        key={framework}
        type="button"
        aria-pressed={tensorflow === (framework === 'TensorFlow')}
        onClick={() => onChoose(framework === 'TensorFlow')}
      >
        {framework}
      </button>
    ))}
  </span>
);

/** The list of lines, which scrolls to the first line with a rank. */
function useScrolledTo(first: number, code: readonly CodeLine[], tensorflow: boolean) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, line] = [list.current, list.current?.children[first]];
    if (!box || !(line instanceof HTMLElement)) return;
    // The observer calls after the page's regular layout; reading offsets here would force an additional layout.
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      // Scrolls only the box, never the page, and to the beginning of a line, so that no line is cut.
      const above = Math.max(0, (box.clientHeight - line.offsetHeight) / 2);
      const top = [...box.children].find(
        (one) => one instanceof HTMLElement && one.offsetTop >= line.offsetTop - above,
      );
      if (top instanceof HTMLElement) box.scrollTop = top.offsetTop;
    });
    observer.observe(line);
    return () => observer.disconnect();
  }, [first]);
  useEffect(() => {
    // TensorFlow's script has no dots, so it starts at its first line.
    if (tensorflow && code.length > 0 && list.current) list.current.scrollTop = 0;
  }, [tensorflow, code]);
  return list;
}

export function CodePanel() {
  const [wanted, setWanted] = useState(false);
  const offered = useApp((app) => app.info !== undefined && strategyOf(app.info.config) !== undefined);
  const tensorflow = wanted && offered;
  const label = tensorflow ? 'TensorFlow code' : 'PyTorch code';
  const code = useListing(tensorflow);
  const ranks = useApp((app) => app.info?.ranks ?? 0);
  const device = useApp((app) => app.info?.device);
  const anchors = useSettled(
    ({ cursor, traces }) => anchorsAt(cursor && traces[cursor.trace], cursor?.event ?? -1, ranks),
    80,
  );
  const { ranks: hues } = usePalette();
  const litAnchor = useSettled(({ cursor, traces, hovered, pinned }) => {
    const lit = hovered ?? pinned;
    return lit === undefined ? undefined : (cursor && traces[cursor.trace])?.events[lit]?.anchor;
  }, 50);
  const lines = useMemo(() => code.map((line, number) => ({ ...line, number })), [code]);
  const first = code.findIndex(({ anchor }) => anchors.includes(anchor));
  const list = useScrolledTo(first, code, tensorflow);
  return (
    <>
      <div className={styles['head']}>
        <h2>{tensorflow ? 'TensorFlow, to compare' : 'PyTorch, as it runs now'}</h2>
        {offered && <Frameworks tensorflow={tensorflow} onChoose={setWanted} />}
      </div>
      <div className={styles['frame']}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <ol ref={list} className={styles['code']} tabIndex={0} aria-label={label}>
          {lines.map(({ number, text, anchor }) => (
            <Line
              key={number}
              text={text}
              here={anchors.flatMap((at, rank) => (at !== undefined && at === anchor ? [rank] : [])).join(' ')}
              lit={litAnchor !== undefined && anchor === litAnchor}
              hues={hues}
            />
          ))}
        </ol>
      </div>
      <div className={styles['foot']}>
        {device && <p>Computing on {deviceText(device)}</p>}
        <AtYourSize />
        <DialogButton
          name="Take it to PyTorch"
          className={dialogs['wide']}
          title="This run as a folder that PyTorch trains from"
          forgets
          content={() => <TakeToPyTorch />}
        >
          Take it to PyTorch
        </DialogButton>
      </div>
    </>
  );
}
