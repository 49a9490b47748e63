/**
 * The views of a run besides its losses and numbers, one at a time under tabs. A view is loaded when it is first
 * opened, so a run on points loads none.
 */
import { type ComponentType, useState } from 'react';
import { at } from '../../../base/invariant';
import { useLinked } from '../../address/use-linked';
import { loadedPanel } from '../../boundary/loaded-panel';
import { Tabs } from '../../fields/tabs';
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

export function Views({ ids }: { ids: readonly ViewId[] }) {
  const [chosen, choose] = useState<ViewId>();
  useLinked('view', { read: () => chosen, show: (text) => choose(ids.find((id) => id === text)) });
  const index = Math.max(0, chosen ? ids.indexOf(chosen) : 0);
  const View = VIEWS[at(ids, index)];
  return (
    <div className={styles['views']}>
      <Tabs
        label="What the model does"
        names={ids.map((id) => VIEW_NAMES[id])}
        index={index}
        onIndex={(next) => choose(ids[next])}
        panelClass={styles['panel']}
      >
        <View />
      </Tabs>
    </div>
  );
}
