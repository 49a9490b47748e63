/**
 * The list of the model's layers, one line each: its name in state_dict, its type, its output shape, its number of
 * parameters. A line opens to the layer's fields; sizes that follow from the neighbouring layers have no field. Loaded
 * when the list is opened.
 */

import { useState } from 'react';
import type { RowOfData } from '../../protocol/config/data-row';
import { parameterCount } from '../../shapes/parameters';
import { formatCount } from '../draw/format';
import { shapesThrough } from '../model/layer-shapes';
import { layerSizes, modulePath, shapeText } from '../model/layer-words';
import { useApp } from '../state/use-app';
import { type ApplyEdit, LayerFields } from './layer-fields';
import styles from './layer-list.module.css';

interface LayerListProps {
  readonly row: RowOfData | undefined;
  readonly apply: ApplyEdit;
}

export function LayerList({ row, apply }: LayerListProps) {
  const config = useApp((app) => app.config);
  const refused = useApp((app) => app.refusedLayer);
  const [open, setOpen] = useState<number>();
  const { layers } = config.model;
  const shapes = shapesThrough(layers, row?.shape);
  return (
    <ol className={styles['list']} aria-label="Layers">
      {layers.map((layer, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
        <li key={index} data-refused={refused?.index === index || undefined}>
          <button
            type="button"
            className={styles['line']}
            aria-expanded={open === index}
            onClick={() => setOpen(open === index ? undefined : index)}
          >
            <span className={styles['path']}>{modulePath(layer, index) || '·'}</span>
            <span className={styles['what']}>
              {layer.type} <i>{layerSizes(layer)}</i>
            </span>
            <span className={styles['shape']} title="Shape of one row of its output">
              {shapeText(shapes[index + 1])}
            </span>
            <span className={styles['count']} title="Parameters">
              {formatCount(parameterCount(layer))}
            </span>
          </button>
          {refused?.index === index && (
            <p className={styles['problem']} role="alert">
              {refused.text}
            </p>
          )}
          {open === index && (
            <LayerFields
              layer={layer}
              index={index}
              before={shapes[index + 1]}
              apply={apply}
              row={row}
              canRemove={layers.length > 1}
            />
          )}
        </li>
      ))}
    </ol>
  );
}
