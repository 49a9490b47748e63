/**
 * A drawing of the net's units and weights. The lines are the run's weights in the newest snapshot (colour: sign and
 * size, width: size); before the first snapshot they are plain. A wide layer shows only its first units.
 */
import { Fragment } from 'react';
import { usePalette } from '../draw/canvas-context';
import type { AppState } from '../state/app-state';
import { useSettled } from '../state/use-app';
import styles from './model-panel.module.css';

const WIDTH = 200;
const HEIGHT = 118;
const SHOWN = 8;
const PITCH = 12.6;

interface Weights {
  readonly values: Float32Array;
  readonly inputs: number;
}

export function NetDrawing({ sizes }: { sizes: readonly number[] }) {
  const palette = usePalette();
  const weights = useSettled(readWeights, 250);
  const shown = sizes.map((size) => Math.min(size, SHOWN));
  const x = (layer: number) => 10 + (layer * (WIDTH - 20)) / Math.max(1, sizes.length - 1);
  const y = (layer: number, unit: number) => 54 + (unit - ((shown[layer] ?? 1) - 1) / 2) * PITCH;
  const bend = (WIDTH - 20) / Math.max(1, sizes.length - 1) / 2;
  const matching = weights.length === sizes.length - 1 ? weights : [];
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={styles['drawing']}
      role="img"
      aria-label={`Net with ${sizes.join(', ')} units`}
    >
      {shown.slice(1).map((outputs, layer) => {
        const own = matching[layer];
        const top = own ? own.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1 : 1;
        return lines(shown[layer] ?? 0, outputs).map(([from, to]) => {
          const value = own ? (own.values[to * own.inputs + from] ?? 0) / top : undefined;
          return (
            <path
              // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
              key={`${layer} ${from} ${to}`}
              d={`M${x(layer)} ${y(layer, from)}c${bend} 0 ${x(layer + 1) - x(layer) - bend} ${y(layer + 1, to) - y(layer, from)} ${x(layer + 1) - x(layer)} ${y(layer + 1, to) - y(layer, from)}`}
              stroke={value === undefined ? palette.line : palette.diverging(value)}
              strokeWidth={value === undefined ? 0.6 : 0.3 + 1.5 * Math.abs(value)}
            />
          );
        });
      })}
      {shown.map((count, layer) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position
        <Fragment key={layer}>
          {lines(count, 1).map(([unit]) => (
            <rect
              key={unit}
              className={styles['unit']}
              x={x(layer) - 4.5}
              y={y(layer, unit) - 4.5}
              width={9}
              height={9}
              rx={2}
            />
          ))}
          <text x={x(layer)} y={HEIGHT - 3} textAnchor="middle">
            {sizes[layer]}
          </text>
        </Fragment>
      ))}
    </svg>
  );
}

const lines = (from: number, to: number) =>
  Array.from({ length: from * to }, (_, index) => [index % from, Math.floor(index / from)] as const);

/** Reads the weight matrices in the order of the layers. */
function readWeights({ info, snapshot }: AppState): readonly Weights[] {
  if (!info || !snapshot) return [];
  return info.parameters.flatMap(({ name, shape }, index) => {
    const values = snapshot.parameters[index];
    const inputs = shape[1];
    return name.endsWith('weight') && values && inputs !== undefined ? [{ values, inputs }] : [];
  });
}
