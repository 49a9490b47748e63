/** Says how many devices have their lanes below the panel's lower edge, and scrolls to these lanes. */
import { type RefObject, useEffect, useState } from 'react';
import { plural } from '../../base/plural';
import { useAppStore } from '../state/use-app';
import styles from './more-lanes.module.css';
import type { PanelSize, TimelineModel } from './timeline-model';

interface MoreLanesProps {
  readonly view: RefObject<HTMLDivElement | null>;
  readonly model: TimelineModel;
  readonly panel: PanelSize;
  /** Height of all lanes in CSS pixels. */
  readonly height: number;
}

export function MoreLanes({ view, model, panel, height }: MoreLanesProps) {
  const store = useAppStore();
  const [below, setBelow] = useState(0);
  useEffect(() => {
    const scrolled = view.current;
    if (!scrolled || height === 0) return;
    const count = () => {
      const end = scrolled.scrollTop + scrolled.clientHeight;
      const { rows } = model.layout(store.getState(), panel);
      setBelow(rows.filter(({ ground }) => ground.y + ground.height / 2 > end).length);
    };
    count();
    scrolled.addEventListener('scroll', count, { passive: true });
    return () => scrolled.removeEventListener('scroll', count);
  }, [view, model, panel, height, store]);
  if (below === 0) return null;
  const scroll = () => view.current?.scrollBy({ top: view.current.clientHeight / 2 });
  return (
    <div className={styles['more']}>
      <button type="button" title="Scroll down to the lanes of these devices" onClick={scroll}>
        {plural(below, 'device')} below <span aria-hidden>↓</span>
      </button>
    </div>
  );
}
