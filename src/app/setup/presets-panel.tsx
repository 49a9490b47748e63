/** The presets: one click sets matching model, data and training. The other panels show later changes. */
import type { ReactNode } from 'react';
import { PRESETS, type PresetName } from '../../protocol/presets';
import { PAGE_PRESETS, PRESET_NAMES, withPreset } from '../edit/page-presets';
import { Section } from '../fields/section';
import { channelsOf, gptNetOf, plainNetOf } from '../model/families';
import { knownRow } from '../model/known-row';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './presets-panel.module.css';

type Look = Readonly<Record<PresetName, ReactNode>>;

const dots = (x: number, ys: readonly number[]) => ys.map((y) => <circle key={`${x} ${y}`} cx={x} cy={y} r={2.2} />);
const links = (x1: number, a: readonly number[], x2: number, b: readonly number[]) => (
  <path d={a.flatMap((y1) => b.map((y2) => `M${x1} ${y1}L${x2} ${y2}`)).join('')} />
);
const NARROW = [12, 22];
const MIDDLE = [7, 17, 27];
const FAT = [3, 8, 13, 18, 23, 28, 31];
const stack = (x: number, y: number, side: number, count: number) =>
  Array.from({ length: count }, (_, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a sheet is its place
    <rect key={`${x} ${i}`} x={x + 2.4 * i} y={y + 2.4 * i} width={side} height={side} rx={1} />
  ));

const DEEP_COLUMNS = [6, 12, 18, 24, 30, 36, 42, 48];

const LOOK: Look = {
  mlp: (
    <>
      {links(6, NARROW, 20, MIDDLE)}
      {links(20, MIDDLE, 34, MIDDLE)}
      {links(34, MIDDLE, 48, [17])}
      {[dots(6, NARROW), dots(20, MIDDLE), dots(34, MIDDLE), dots(48, [17])]}
    </>
  ),
  deepMlp: (
    <>
      {DEEP_COLUMNS.map((x, column) => (
        <g key={x}>
          {column > 0 && links(x - 6, NARROW, x, NARROW)}
          {dots(x, NARROW)}
        </g>
      ))}
    </>
  ),
  wideMlp: (
    <>
      {links(7, MIDDLE, 27, FAT)}
      {links(27, FAT, 47, NARROW)}
      {[dots(7, MIDDLE), dots(27, FAT), dots(47, NARROW)]}
    </>
  ),
  cnn: (
    <>
      {stack(2, 8, 17, 1)}
      {stack(22, 8, 9, 3)}
      {stack(39, 10, 5, 4)}
    </>
  ),
  gpt: (
    <>
      {[3, 13, 23].map((y) => (
        <rect key={y} x={17} y={y} width={20} height={7.5} rx={2} />
      ))}
      <path d="M27 10.500v2.500M27 20.500v2.500M17 6.500h-5v10.500M12 17h5M37 6.500h5v10.500h-5" />
    </>
  ),
};

const SHORT: Readonly<Record<PresetName, string>> = {
  mlp: 'MLP',
  deepMlp: 'Deep',
  wideMlp: 'Wide',
  cnn: 'CNN',
  gpt: 'GPT',
};

/** A plain net with more Linear layers than this, half of the deep preset's, is called deep. */
const DEEP = 5;

export function PresetsPanel() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const controller = useController();
  const row = knownRow(config, info);
  const { layers } = config.model;
  const net = plainNetOf(layers);
  const chosen: PresetName | undefined = gptNetOf(layers)
    ? 'gpt'
    : channelsOf(layers, row)
      ? 'cnn'
      : net && (net.flat ? 'wideMlp' : net.sizes.length > DEEP ? 'deepMlp' : 'mlp');
  return (
    <Section part="presets" title="Start from">
      <div role="radiogroup" aria-label="Preset" className={styles['presets']}>
        {PRESET_NAMES.map((name) => (
          <label key={name} className={styles['preset']} title={PRESETS[name].about}>
            <input
              type="radio"
              name="preset"
              aria-label={PRESETS[name].title}
              checked={chosen === name && config.data.type === PAGE_PRESETS[name].data.type}
              onChange={() => controller.apply(withPreset(config, name))}
            />
            <span>
              <svg viewBox="0 0 54 34" aria-hidden="true">
                {LOOK[name]}
              </svg>
              <em>{SHORT[name]}</em>
            </span>
          </label>
        ))}
      </div>
    </Section>
  );
}
