/**
 * The views that a run has besides its losses and numbers, one at a time under tabs. Each is loaded when it is first
 * looked at, so that a run on points loads none of them.
 */
import { type ComponentType, type KeyboardEvent, useId, useRef, useState } from 'react';
import { at } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { loadedPanel } from '../../boundary/loaded-panel';
import { useLinked } from '../../permalink/use-linked';
import styles from './views.module.css';
import { VIEW_NAMES, type ViewId } from './views-for';

const VIEWS: Readonly<Record<ViewId, ComponentType>> = {
  draw: loadedPanel('The drawing pad', async () => (await import('../draw-view/draw-view')).DrawView),
  confusion: loadedPanel(
    'The confusion matrix',
    async () => (await import('../confusion/confusion-view')).ConfusionView,
  ),
  mistakes: loadedPanel('The list of mistakes', async () => (await import('../mistakes/mistakes-view')).MistakesView),
  filters: loadedPanel('The view of the filters', async () => (await import('../filters/filters-view')).FiltersView),
  text: loadedPanel('The view of written text', async () => (await import('../text/text-view')).TextView),
  answers: loadedPanel('The view of the answers', async () => (await import('../answers/answers-view')).AnswersView),
  attention: loadedPanel(
    'The view of attention',
    async () => (await import('../attention/attention-view')).AttentionView,
  ),
};

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

export function Views({ ids }: { ids: readonly ViewId[] }) {
  const [chosen, choose] = useState<ViewId>();
  useLinked('view', { read: () => chosen, show: (text) => choose(ids.find((id) => id === text)) });
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const index = Math.max(0, chosen ? ids.indexOf(chosen) : 0);
  const shown = at(ids, index);
  const View = VIEWS[shown];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = lookup(STEPS, event.key);
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? ids.length - 1
          : step && (index + step + ids.length) % ids.length;
    if (next === undefined) return;
    event.preventDefault();
    choose(ids[next]);
    const tab = list.current?.children[next];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <div className={styles['views']}>
      <div ref={list} role="tablist" aria-label="What the model does" className={styles['tabs']} onKeyDown={onKeyDown}>
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={id === shown}
            aria-controls={`${base}-panel`}
            tabIndex={id === shown ? 0 : -1}
            onClick={() => choose(id)}
          >
            {VIEW_NAMES[id]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${shown}`} className={styles['panel']}>
        <View />
      </div>
    </div>
  );
}
