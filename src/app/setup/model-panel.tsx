/** The model: a drawing, its main numbers (units, channels, blocks), and an editable list of all layers. */
import { Fragment } from 'react';
import { parameterCount } from '../../shapes/parameters';
import { loadedPanel } from '../boundary/loaded-panel';
import { formatCount } from '../draw/format';
import type { Edit } from '../edit/edit-config';
import { withActivation, withHiddenLayers, withUnits } from '../edit/edit-layers';
import { plainNet, withChannels, withGpt } from '../edit/edit-model';
import { CommitField } from '../fields/commit-field';
import fields from '../fields/fields.module.css';
import { problemSentence } from '../fields/problem-sentence';
import { Section } from '../fields/section';
import { Choice } from '../fields/settings';
import { ACTIVATION_NAMES, type Activation, channelsOf, type GptNet, gptNetOf, netSizes } from '../model/families';
import { knownRow } from '../model/known-row';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './model-panel.module.css';
import { NetDrawing } from './net-drawing';
import { ShapeDrawing } from './shape-drawing';

const LayerList = loadedPanel('The list of layers', async () => (await import('./layer-list')).LayerList);

const WORDS: Readonly<Record<Activation, string>> = {
  relu: 'ReLU',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  gelu: 'GELU',
  'gelu-tanh': 'GELU, tanh form',
};

export function ModelPanel() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const refusedLayer = useApp((app) => app.refusedLayer);
  const controller = useController();
  const row = knownRow(config, info);
  const { layers } = config.model;
  const net = plainNet(config);
  const gpt = gptNetOf(layers);
  const channels = channelsOf(layers, row);
  const apply = (edit: Edit): string | undefined => {
    if (!edit.ok) return problemSentence(edit.problem);
    controller.apply(edit.config);
    return undefined;
  };
  const say = (edit: Edit) => {
    const problem = apply(edit);
    if (problem)
      controller.say({ level: 'warning', id: 'config-model', text: problem, hint: 'The model stays as it is.' });
  };
  const count = layers.reduce((sum, layer) => sum + parameterCount(layer), 0);
  const number = (label: string, value: number, title: string, edit: (value: number) => Edit) => (
    <CommitField label={label} title={title} text={String(value)} commit={(text) => apply(edit(Number(text)))} />
  );
  const gptField = (label: string, field: keyof GptNet, title: string) =>
    gpt && number(label, gpt[field], title, (value) => withGpt(config, { ...gpt, [field]: value }, row));
  const shownNet = net && !net.flat ? net : undefined;
  return (
    <Section part="model" title="Model">
      {shownNet ? <NetDrawing sizes={netSizes(layers) ?? []} /> : <ShapeDrawing layers={layers} shape={row?.shape} />}
      {shownNet && (
        <PlainSteppers
          sizes={shownNet.sizes}
          onLayers={(change) => say(withHiddenLayers(config, change))}
          onUnits={(layer, units) => say(withUnits(config, layer, units))}
        />
      )}
      {net?.flat &&
        net.sizes.slice(1, -1).map((units, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
          <div key={i}>
            {number(net.sizes.length === 3 ? 'Hidden units' : `Hidden units ${i + 1}`, units, 'out_features', (value) =>
              withUnits(config, i + 1, value),
            )}
          </div>
        ))}
      {net && (
        <Choice
          label="Activation"
          words={WORDS}
          value={net.activation}
          onChange={(name) => {
            const activation = ACTIVATION_NAMES.find((known) => known === name);
            if (activation) say(withActivation(config, activation));
          }}
        />
      )}
      {channels?.map((own, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
        <Fragment key={i}>
          {number(i === 0 ? 'Channels' : 'Channels, 2nd', own, 'out_channels', (value) =>
            withChannels(config, i === 0 ? [value, channels[1]] : [channels[0], value], row),
          )}
        </Fragment>
      ))}
      {gptField('Layers', 'layers', 'Decoder blocks, one after the other.')}
      {gptField('Heads', 'heads', 'num_heads: attention heads in each block.')}
      {gptField('Width', 'width', 'embed_dim: numbers for each token.')}
      <details className={styles['layersOf']} open={(!net && !gpt && !channels) || refusedLayer !== undefined}>
        <summary>
          {layers.length} {layers.length === 1 ? 'layer' : 'layers'}, {formatCount(count)} parameters
        </summary>
        <LayerList row={row} apply={apply} />
      </details>
    </Section>
  );
}

interface PlainProps {
  readonly sizes: readonly number[];
  readonly onLayers: (change: 1 | -1) => void;
  readonly onUnits: (layer: number, units: number) => void;
}

function PlainSteppers({ sizes, onLayers, onUnits }: PlainProps) {
  return (
    <>
      <div className={styles['layers']}>
        <Stepper
          label="hidden layer"
          text={`${sizes.length - 2} hidden ${sizes.length === 3 ? 'layer' : 'layers'}`}
          canShrink={sizes.length > 2}
          onStep={onLayers}
        />
      </div>
      <ul className={styles['units']} aria-label="Units in each hidden layer">
        {sizes.slice(1, -1).map((units, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
          <li key={index}>
            <Stepper
              label={`unit in hidden layer ${index + 1}`}
              text={String(units)}
              canShrink={units > 1}
              onStep={(change) => onUnits(index + 1, units + change)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface StepperProps {
  readonly label: string;
  readonly text: string;
  readonly canShrink: boolean;
  readonly onStep: (change: 1 | -1) => void;
}

function Stepper({ label, text, canShrink, onStep }: StepperProps) {
  const button = `${fields['button']} ${fields['small']}`;
  return (
    <span className={styles['stepper']}>
      <button
        type="button"
        className={button}
        aria-label={`Remove ${label}`}
        disabled={!canShrink}
        onClick={() => onStep(-1)}
      >
        −
      </button>
      <span>{text}</span>
      <button type="button" className={button} aria-label={`Add ${label}`} onClick={() => onStep(1)}>
        +
      </button>
    </span>
  );
}
