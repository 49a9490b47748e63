/**
 * The PyTorch lines of the mode in use, with one cursor per rank on the line that its event at the cursor stands for.
 */

import { useEffect, useMemo, useRef, useState } from 'react';
import { asLockstepError, type LockstepError } from '../../base/errors';
import type { CodeLine, StepTrace } from '../../protocol/trace';
import { deviceText } from '../setup/cluster-panel';
import { useApp, useController, usePalette, useSettled } from '../state/use-app';
import styles from './code-panel.module.css';

/** The anchor of the last event that each rank has begun; undefined before its first. */
function anchorsAt(trace: StepTrace | undefined, event: number, ranks: number): readonly (string | undefined)[] {
  const anchors: (string | undefined)[] = Array.from({ length: ranks }, () => undefined);
  for (const { rank, anchor } of trace?.events.slice(0, event + 1) ?? []) if (anchor !== '') anchors[rank] = anchor;
  return anchors;
}

/**
 * Asked for when a run has begun: the writer of scripts is no part of what Play waits for. Where it cannot be fetched,
 * the panel's fence says so and tries again.
 */
function useListing(): readonly CodeLine[] {
  const info = useApp((app) => app.info);
  const { listing } = useController();
  const [code, setCode] = useState<readonly CodeLine[]>([]);
  const [problem, setProblem] = useState<LockstepError>();
  useEffect(() => {
    let gone = false;
    if (!info) return;
    setProblem(undefined);
    listing().then(
      (lines) => !gone && setCode(lines),
      (error: unknown) => !gone && setProblem(asLockstepError(error)),
    );
    return () => {
      gone = true;
    };
  }, [info, listing]);
  if (problem?.code === 'not-loaded') throw problem;
  return code;
}

export function CodePanel() {
  const code = useListing();
  const ranks = useApp((app) => app.info?.ranks ?? 0);
  const device = useApp((app) => app.info?.device);
  const cursor = useSettled((app) => app.cursor, 80);
  const traces = useSettled((app) => app.traces, 80);
  const palette = usePalette();
  const lit = useSettled(({ hovered, pinned }) => hovered ?? pinned, 50);
  const trace = cursor && traces[cursor.trace];
  const anchors = anchorsAt(trace, cursor?.event ?? -1, ranks);
  const litAnchor = lit === undefined ? undefined : trace?.events[lit]?.anchor;
  const lines = useMemo(() => code.map((line, number) => ({ ...line, number })), [code]);
  const list = useRef<HTMLOListElement>(null);
  const first = code.findIndex(({ anchor }) => anchors.includes(anchor));
  useEffect(() => {
    const [box, line] = [list.current, list.current?.children[first]];
    // Only the box scrolls, never the page.
    if (box && line instanceof HTMLElement) box.scrollTop = line.offsetTop - box.clientHeight / 2;
  }, [first]);
  return (
    <>
      <h2 className={styles['title']}>PyTorch, as it runs now</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ol ref={list} className={styles['code']} tabIndex={0} aria-label="PyTorch code">
        {lines.map((line) => {
          const here = anchors.flatMap((anchor, rank) =>
            anchor !== undefined && anchor === line.anchor ? [rank] : [],
          );
          return (
            <li
              key={line.number}
              data-here={here.length > 0 || undefined}
              data-lit={(litAnchor !== undefined && line.anchor === litAnchor) || undefined}
            >
              <code>{line.text || ' '}</code>
              {here.length > 0 && (
                <span className={styles['cursors']}>
                  {here.map((rank) => (
                    <i key={rank} style={{ background: palette.ranks[rank] }} title={`rank ${rank}`}>
                      <span className="visually-hidden">rank {rank} is here</span>
                    </i>
                  ))}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {device && <p className={styles['device']}>Computing on {deviceText(device)}</p>}
    </>
  );
}
