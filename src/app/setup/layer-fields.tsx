/**
 * The fields of one layer, which the list of layers opens: its editable settings, and buttons to remove the layer and
 * to add another one after it.
 */
import { useId } from 'react';
import { lookup } from '../../base/lookup';
import type { LayerConfig } from '../../protocol/config';
import type { RowOfData } from '../../protocol/config/data-row';
import { LAYER, LAYER_OWN, type LayerField } from '../../protocol/words/layers';
import type { Edit } from '../edit/edit-config';
import { kindsFor, withLayerAfter, withLayerField, withoutLayer } from '../edit/edit-layers';
import { CommitField } from '../fields/commit-field';
import fields from '../fields/fields.module.css';
import { Choice } from '../fields/settings';
import type { LayerShape } from '../model/layer-shapes';
import { useApp } from '../state/use-app';
import styles from './layer-list.module.css';

/** Applies an edit; returns what is wrong with it, if anything. */
export type ApplyEdit = (edit: Edit) => string | undefined;

/** The editable settings of each layer; sizes that follow from the neighbouring layers are left out. */
const FIELDS: Readonly<Partial<Record<LayerConfig['type'], readonly LayerField[]>>> = {
  Linear: ['out'],
  Conv2d: ['out', 'kernel', 'stride', 'padding', 'dilation', 'groups'],
  MaxPool2d: ['kernel', 'stride', 'padding'],
  AvgPool2d: ['kernel', 'stride', 'padding'],
  AdaptiveAvgPool2d: ['output'],
  Dropout: ['p'],
  LeakyReLU: ['negativeSlope'],
  ELU: ['alpha'],
  GroupNorm: ['groups', 'eps'],
  BatchNorm1d: ['momentum', 'eps'],
  BatchNorm2d: ['momentum', 'eps'],
  LayerNorm: ['eps'],
  Embedding: ['width', 'paddingIdx'],
  TokenEmbedding: ['width'],
  MultiheadAttention: ['heads'],
  TransformerBlock: ['heads', 'expansion', 'dropout'],
};
const FLAGS = ['bias', 'affine', 'causal', 'ceilMode', 'countIncludePad'] as const;
const APPROXIMATIONS = { none: 'none', tanh: 'tanh' } as const;

const wordsOf = (type: LayerConfig['type'], field: LayerField) => LAYER_OWN[type]?.[field] ?? LAYER[field];

interface LayerFieldsProps {
  readonly row: RowOfData | undefined;
  readonly apply: ApplyEdit;
  readonly layer: LayerConfig;
  readonly index: number;
  /** The shape that a layer added here would receive. */
  readonly before: LayerShape | undefined;
  readonly canRemove: boolean;
}

const print = (value: unknown): string =>
  Array.isArray(value) ? value.join('×') : value === undefined ? '' : String(value);

function parse(text: string): unknown {
  if (text === '') return undefined;
  if (/^[a-z]+$/.test(text)) return text;
  const numbers = text.split(/[×x,]/).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return numbers.length === 2 ? numbers : numbers[0];
}

export function LayerFields({ layer, index, before, canRemove, row, apply }: LayerFieldsProps) {
  const config = useApp((app) => app.config);
  const id = useId();
  const values = layer as Readonly<Record<string, unknown>>;
  const last = config.model.layers.findLastIndex(({ type }) => type === 'Linear') === index;
  const shown = (FIELDS[layer.type] ?? []).filter((field) => !(last && field === 'out' && row));
  const flags = FLAGS.filter((flag) => typeof values[flag] === 'boolean');
  return (
    <div className={styles['fields']}>
      {shown.map((field) => (
        <CommitField
          key={field}
          label={wordsOf(layer.type, field).title}
          title={wordsOf(layer.type, field).description}
          text={print(lookup(values, field))}
          {...(field === 'paddingIdx' ? { whenEmpty: 'none' } : {})}
          commit={(text) => apply(withLayerField(config, index, field, parse(text), row))}
        />
      ))}
      {layer.type === 'GELU' && (
        <Choice
          label={LAYER.approximate.title}
          title={LAYER.approximate.description}
          words={APPROXIMATIONS}
          value={layer.approximate}
          onChange={(approximate) => apply(withLayerField(config, index, 'approximate', approximate, row))}
        />
      )}
      {flags.map((flag) => (
        <div key={flag} className={fields['row']} title={wordsOf(layer.type, flag).description}>
          <label htmlFor={`${id}${flag}`}>{wordsOf(layer.type, flag).title}</label>
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
