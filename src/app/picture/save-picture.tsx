/**
 * The button that saves a figure as SVG or PNG, and a plot's numbers as CSV. The menu is a native popover; the code
 * that writes files is loaded with the first one.
 */
import { useId, useRef, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { stateHere } from '../address/state-here';
import { useLinkedViews, useUrlSync } from '../address/use-address';
import { usePalette } from '../draw/canvas-context';
import { saveFile } from '../files/save-file';
import { useController } from '../run/use-controller';
import { useAppStore } from '../state/use-app';
import type { SavedFigure } from './figure-picture';
import { fileName, momentCaption, runWords } from './moment-caption';
import styles from './save-picture.module.css';

const FORMATS = { svg: 'SVG, to print and to edit', png: 'PNG, for slides', csv: 'CSV, the numbers' } as const;
type Format = keyof typeof FORMATS;

interface SavePictureProps {
  /** The figure's part of the file name. */
  readonly name:
    | 'stage'
    | 'timeline'
    | 'schedule'
    | 'loss'
    | 'field'
    | 'confusion'
    | 'attention'
    | 'growth'
    | 'lab'
    | 'recording';
  /** The saved figure, in words. */
  readonly what: string;
  readonly figure: SavedFigure;
}

export function SavePicture({ name, what, figure }: SavePictureProps) {
  const id = useId();
  const menu = useRef<HTMLFieldSetElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { save, said } = useSaving(name, figure);
  const formats = (Object.keys(FORMATS) as Format[]).filter((format) => format !== 'csv' || figure.csv);
  const place = () => {
    const at = button.current?.getBoundingClientRect();
    const element = menu.current;
    if (!at || !element) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
    element.style.top = `${at.bottom + height + 8 > innerHeight ? Math.max(8, at.top - height - 4) : at.bottom + 4}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles['button']}
        popoverTarget={id}
        aria-label={`Save picture of ${what}`}
        title={`Save picture of ${what}`}
      >
        <svg viewBox="0 0 16 16" width={13} height={13} aria-hidden="true">
          <path
            d="M8 1.5v8m-3.2-3L8 9.7l3.2-3.2M2 10.5v3.5h12v-3.5"
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
          />
        </svg>
      </button>
      <fieldset
        ref={menu}
        id={id}
        popover="auto"
        className={styles['menu']}
        aria-label={`Save ${what} as`}
        onToggle={(event) => event.newState === 'open' && place()}
      >
        {formats.map((format) => (
          <button
            key={format}
            type="button"
            onClick={() => {
              menu.current?.hidePopover();
              button.current?.focus();
              void save(format);
            }}
          >
            {FORMATS[format]}
          </button>
        ))}
      </fieldset>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}

function useSaving(name: SavePictureProps['name'], figure: SavedFigure) {
  const store = useAppStore();
  const controller = useController();
  const palette = usePalette();
  const linked = useLinkedViews();
  const urlSync = useUrlSync();
  const [said, setSaid] = useState('');
  const fileOf = async (format: Format): Promise<Blob | undefined> => {
    const app = store.getState();
    if (format === 'csv') return new Blob([figure.csv?.(app) ?? ''], { type: 'text/csv' });
    const href = urlSync.href({ embed: false, hide: new Set(), lock: new Set() }, stateHere(app, linked.read()));
    const given = await figure.picture(app);
    if (!given) return undefined;
    const picture = { ...given, caption: given.caption?.(runWords(app)) ?? momentCaption(app) };
    const { measureOf, pngOf, svgOf } = await loadPart('The writer of pictures', () => import('./write-picture'));
    if (format === 'png') return pngOf(picture, palette, href);
    return new Blob([svgOf(picture, palette, href, measureOf(palette))], { type: 'image/svg+xml' });
  };
  const save = async (format: Format): Promise<void> => {
    try {
      const file = `${fileName(name, store.getState())}.${format}`;
      const blob = await fileOf(format);
      if (blob) saveFile(file, blob);
      setSaid(blob ? `Saved ${file}` : 'There is nothing to see yet');
    } catch (error) {
      const text = `The picture could not be saved: ${error instanceof Error ? error.message : String(error)}`;
      controller.say({ level: 'error', id: 'picture', text, hint: 'Try again.' });
    }
  };
  return { save, said };
}
