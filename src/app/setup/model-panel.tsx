/** The net as a drawing, with buttons for layers and units, and its activation. */
import { plainNet, withActivation, withHiddenLayers, withUnits } from '../edit-model';
import fields from '../fields/fields.module.css';
import { Section } from '../fields/section';
import { Choice } from '../fields/settings';
import { formatCount } from '../format';
import { ACTIVATION_NAMES, type Activation, netSizes } from '../model/families';
import { useApp, useController } from '../use-app';
import styles from './model-panel.module.css';
import { NetDrawing } from './net-drawing';

const WORDS: Readonly<Record<Activation, string>> = {
  relu: 'ReLU',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  gelu: 'GELU',
  'gelu-tanh': 'GELU, tanh form',
};

export function ModelPanel() {
  const config = useApp((app) => app.config);
  const parameters = useApp((app) => app.info?.parameters);
  const controller = useController();
  const net = plainNet(config);
  const sizes = netSizes(config.model.layers) ?? [];
  const apply = (edit: ReturnType<typeof withUnits>) => {
    if (edit.ok) controller.apply(edit.config);
    else
      controller.say({ level: 'warning', id: 'config-model', text: edit.problem, hint: 'The model stays as it is.' });
  };
  const count = parameters?.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  return (
    <Section part="model" title="Model">
      <NetDrawing sizes={sizes} />
      {net ? (
        <>
          <div className={styles['layers']}>
            <Stepper
              label="hidden layer"
              text={`${net.sizes.length - 2} hidden ${net.sizes.length === 3 ? 'layer' : 'layers'}`}
              canShrink={net.sizes.length > 2}
              onStep={(change) => apply(withHiddenLayers(config, change))}
            />
          </div>
          <ul className={styles['units']} aria-label="Units in each hidden layer">
            {net.sizes.slice(1, -1).map((units, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
              <li key={index}>
                <Stepper
                  label={`unit in hidden layer ${index + 1}`}
                  text={String(units)}
                  canShrink={units > 1}
                  onStep={(change) => apply(withUnits(config, index + 1, units + change))}
                />
              </li>
            ))}
          </ul>
          <Choice
            label="Activation"
            words={WORDS}
            value={net.activation}
            onChange={(name) => {
              const activation = ACTIVATION_NAMES.find((known) => known === name);
              if (activation) apply(withActivation(config, activation));
            }}
          />
        </>
      ) : (
        <ol className={styles['list']}>
          {config.model.layers.map((layer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
            <li key={index}>{layer.type === 'Linear' ? `Linear ${layer.in}→${layer.out}` : layer.type}</li>
          ))}
        </ol>
      )}
      {count !== undefined && <p className={styles['note']}>{formatCount(count)} parameters</p>}
    </Section>
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
