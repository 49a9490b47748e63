/** The buttons beside the ranks' names that show all threads and streams of a rank. */
import { TWO_LINES } from '../../lanes/paint-lane';
import type { RecordedLayout } from './recorded-layout';
import styles from './recorded-timeline.module.css';

/** Below this width, a button has only an arrow, no word. */
const NARROW = 60;

interface FoldButtonsProps {
  readonly layout: RecordedLayout;
  readonly open: ReadonlySet<number>;
  readonly onOpen: (open: ReadonlySet<number>) => void;
}

export function FoldButtons({ layout, open, onOpen }: FoldButtonsProps) {
  const toggle = (index: number) => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    onOpen(next);
  };
  return layout.rows.map(({ tracks, name }) => (
    <button
      key={tracks.index}
      type="button"
      className={styles['fold']}
      aria-expanded={open.has(tracks.index)}
      aria-label={`Threads and streams of rank ${tracks.rank.rank}`}
      title={open.has(tracks.index) ? 'Fold the threads and streams' : 'Unfold all threads and streams'}
      data-beside={name.height < TWO_LINES || undefined}
      style={{ left: name.x + 4, top: name.y, width: name.width - 6, height: name.height }}
      onClick={() => toggle(tracks.index)}
    >
      {open.has(tracks.index) ? '▾' : '▸'}
      {name.height >= TWO_LINES && name.width > NARROW ? ' threads' : ''}
    </button>
  ));
}
