/**
 * The kernels of every Conv2d from the weights of the newest snapshot; the first layer's are large because that layer
 * reads the image itself.
 */
import { useRef } from 'react';
import { useSize } from '../../draw/use-surface';
import { useApp, useSettled } from '../../state/use-app';
import views from '../views/views.module.css';
import { isFilter } from '../views/views-for';
import { FilterTiles } from './filter-tiles';
import styles from './filters-view.module.css';

const EVERY_MS = 400;
const WIDEST = 640;

export function FiltersView() {
  const parameters = useApp((app) => app.info?.parameters) ?? [];
  const weights = useSettled((app) => app.snapshot?.parameters, EVERY_MS);
  const host = useRef<HTMLDivElement>(null);
  const width = Math.min(WIDEST, useSize(host).width);
  const filters = parameters
    .map((info, index) => ({ info, values: weights?.[index] }))
    .filter(({ info }) => isFilter(info));
  return (
    <div ref={host} className={styles['filters']}>
      {filters.map(
        ({ info, values }, index) =>
          values &&
          width > 0 && <FilterTiles key={info.name} info={info} values={values} width={width} first={index === 0} />,
      )}
      <p className={views['quiet']}>
        A row of a later layer is one output channel, a column one input channel. Orange is negative, blue positive.
      </p>
    </div>
  );
}
