/**
 * Every layer of the model, a line each: its name in state_dict, what it is, the shape that it gives, its parameters. A
 * line opens to its fields; the sizes that follow from the neighbours are not fields. Loaded when the list is opened.
 */

import { useId, useState } from 'react';
import { lookup } from '../../base/lookup';
import type { LayerConfig } from '../../protocol/config';
import { formatCount } from '../draw/format';
import type { Edit } from '../edit/edit-config';
import { kindsFor, withLayerAfter, withLayerField, withoutLayer } from '../edit/edit-model';
import { CommitField } from '../fields/commit-field';
import fields from '../fields/fields.module.css';
import type { RowOfData } from '../model/data-rows';
import { parameterCount, type Shape, shapesThrough } from '../model/layer-shapes';
import { layerSizes, modulePath, shapeText } from '../model/layer-words';
import { useApp } from '../state/use-app';
import styles from './layer-list.module.css';

type Apply = (edit: Edit) => string | undefined;

interface LayerListProps {
  readonly row: RowOfData | undefined;
  readonly apply: Apply;
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

interface Field {
  readonly field: string;
  readonly label: string;
  /** PyTorch's name. */
  readonly title: string;
}

const of = (field: string, label: string, title = field): Field => ({ field, label, title });
const CONV = [
  of('out', 'Channels', 'out_channels'),
  of('kernel', 'Kernel', 'kernel_size'),
  of('stride', 'Stride'),
  of('padding', 'Padding'),
  of('dilation', 'Dilation'),
  of('groups', 'Groups'),
];
const POOL = [of('kernel', 'Kernel', 'kernel_size'), of('stride', 'Stride'), of('padding', 'Padding')];

/** What may be changed; sizes that follow from the neighbours are not here. */
const FIELDS: Readonly<Partial<Record<LayerConfig['type'], readonly Field[]>>> = {
  Linear: [of('out', 'Units', 'out_features')],
  Conv2d: CONV,
  MaxPool2d: POOL,
  AvgPool2d: POOL,
  AdaptiveAvgPool2d: [of('output', 'Output', 'output_size')],
  Dropout: [of('p', 'Probability', 'p')],
  LeakyReLU: [of('negativeSlope', 'Slope', 'negative_slope')],
  ELU: [of('alpha', 'Alpha', 'alpha')],
  GroupNorm: [of('groups', 'Groups', 'num_groups'), of('eps', 'Epsilon', 'eps')],
  BatchNorm1d: [of('momentum', 'Momentum', 'momentum'), of('eps', 'Epsilon', 'eps')],
  BatchNorm2d: [of('momentum', 'Momentum', 'momentum'), of('eps', 'Epsilon', 'eps')],
  LayerNorm: [of('eps', 'Epsilon', 'eps')],
  Embedding: [of('width', 'Width', 'embedding_dim')],
  TokenEmbedding: [of('width', 'Width', 'embedding_dim')],
  MultiheadAttention: [of('heads', 'Heads', 'num_heads')],
  TransformerBlock: [
    of('heads', 'Heads', 'num_heads'),
    of('expansion', 'Expansion', 'width of the hidden layer, in widths'),
    of('dropout', 'Dropout', 'dropout'),
  ],
};

interface LayerFieldsProps extends LayerListProps {
  readonly layer: LayerConfig;
  readonly index: number;
  /** What the next layer would get. */
  readonly before: Shape | undefined;
  readonly canRemove: boolean;
}

const print = (value: unknown): string =>
  Array.isArray(value) ? value.join('×') : value === undefined ? '' : String(value);

function parse(text: string): unknown {
  if (text === '') return undefined;
  const numbers = text.split(/[×x,]/).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return numbers.length === 2 ? numbers : numbers[0];
}

function LayerFields({ layer, index, before, canRemove, row, apply }: LayerFieldsProps) {
  const config = useApp((app) => app.config);
  const id = useId();
  const values = layer as Readonly<Record<string, unknown>>;
  const last = config.model.layers.findLastIndex(({ type }) => type === 'Linear') === index;
  const shown = (FIELDS[layer.type] ?? []).filter(({ field }) => !(last && field === 'out' && row));
  const flags = (['bias', 'affine', 'causal'] as const).filter((flag) => typeof values[flag] === 'boolean');
  return (
    <div className={styles['fields']}>
      {shown.map(({ field, label, title }) => (
        <CommitField
          key={field}
          label={label}
          title={title}
          text={print(lookup(values, field))}
          commit={(text) => apply(withLayerField(config, index, field, parse(text), row))}
        />
      ))}
      {flags.map((flag) => (
        <div key={flag} className={fields['row']}>
          <label htmlFor={`${id}${flag}`}>{flag}</label>
          <input
            id={`${id}${flag}`}
            type="checkbox"
            className={fields['check']}
            checked={values[flag] === true}
            onChange={(event) => apply(withLayerField(config, index, flag, event.target.checked, row))}
          />
        </div>
      ))}
      <div className={styles['actions']}>
        <button
          type="button"
          className={`${fields['button']} ${fields['small']}`}
          disabled={!canRemove}
          onClick={() => apply(withoutLayer(config, index, row))}
        >
          Remove
        </button>
        <select
          className={fields['select']}
          aria-label={`Add a layer after layer ${index}`}
          value=""
          onChange={(event) => {
            const type = kindsFor(before).find((kind) => kind === event.target.value);
            if (type) apply(withLayerAfter(config, index, type, row));
          }}
        >
          <option value="">Add after …</option>
          {kindsFor(before).map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </div>
    </div>
  );
}
