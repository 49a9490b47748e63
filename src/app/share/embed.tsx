/** The page as a frame in another page: the hidden and locked parts, the theme, the snippet, and a preview. */
import { useEffect, useRef, useState } from 'react';
import { useUrlSync } from '../address/use-address';
import type { Theme } from '../draw/theme';
import { ColumnHeads } from '../fields/column-heads';
import type { LinkState } from '../permalink/link-state';
import { PAGE_PARTS, PART_NAMES, type PagePart } from '../permalink/page-parts';
import { useApp } from '../state/use-app';
import { CopyField } from './copy-field';
import styles from './share.module.css';
import { embedSnippet } from './snippet';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'as set in the reader’s system'],
  ['light', 'light'],
  ['dark', 'dark'],
];

/** The hidden parts for a figure in a text, which leave stage, timeline and a Play button. */
const FIGURE: readonly PagePart[] = ['bar', 'setup', 'result', 'code'];

const changed = (parts: ReadonlySet<string>, part: string, on: boolean): ReadonlySet<string> => {
  const next = new Set(parts);
  if (on) next.add(part);
  else next.delete(part);
  return next;
};

export function Embed({ state }: { state: LinkState | undefined }) {
  const urlSync = useUrlSync();
  const own = useApp((app) => app.hide);
  const [hide, setHide] = useState<ReadonlySet<string>>(() => (own.size > 0 ? own : new Set(FIGURE)));
  const [lock, setLock] = useState<ReadonlySet<string>>(useApp((app) => app.lock));
  const [theme, setTheme] = useState<Theme>(useApp((app) => app.theme));
  const [open, setOpen] = useState(false);
  const href = urlSync.href({ embed: true, hide, lock, theme }, state);
  return (
    <details className={styles['embed']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Embed it in a page</summary>
      <fieldset className={styles['parts']} aria-label="What the frame shows">
        <table>
          <ColumnHeads names={['Part', 'Hide', 'Lock']} />
          <tbody>
            {PART_NAMES.map((part) => (
              <tr key={part}>
                <th scope="row">{PAGE_PARTS[part].words}</th>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Hide ${PAGE_PARTS[part].words}`}
                    checked={hide.has(part)}
                    onChange={(event) => setHide(changed(hide, part, event.target.checked))}
                  />
                </td>
                <td>
                  {PAGE_PARTS[part].changes && (
                    <input
                      type="checkbox"
                      aria-label={`Lock ${PAGE_PARTS[part].words}`}
                      checked={lock.has(part)}
                      onChange={(event) => setLock(changed(lock, part, event.target.checked))}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </fieldset>
      <p className={styles['note']}>
        Hidden parts are not shown. Locked parts are shown but cannot be changed. If the bar is hidden, a small play
        button stays.
      </p>
      <label className={styles['check']}>
        Theme
        <select value={theme} onChange={(event) => setTheme(THEMES[event.target.selectedIndex]?.[0] ?? 'system')}>
          {THEMES.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <CopyField name="Snippet" rows={6} text={embedSnippet(href, 'Lockstep: data-parallel training, step by step')} />
      {open && <Preview href={href} />}
    </details>
  );
}

/** The frame as the other page will show it, at the height that it requests. */
function Preview({ href }: { href: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(660);
  useEffect(() => {
    const hear = ({ data, source }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data?.type === 'lockstep:height') setHeight(Number(data.height));
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, []);
  return (
    <figure className={styles['preview']}>
      <figcaption>Preview</figcaption>
      <iframe ref={frame} src={href} title="Preview of the embed" height={height} />
    </figure>
  );
}
