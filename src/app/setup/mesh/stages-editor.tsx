/**
 * The editor of a pipeline's stages: a strip of the layers with weights (layers without weights stay with the one
 * before), with a handle at each cut. The user drags a handle, or moves it with the arrow keys. Fetched when a pipeline
 * mode is chosen.
 */
import { type PointerEvent, useRef, useState } from 'react';
import { LAYERS_WITH_WEIGHTS } from '../../../protocol/config/layer-kinds';
import { PIPELINE } from '../../../protocol/words/pipeline';
import { usePalette } from '../../draw/canvas-context';
import { withStages } from '../../edit/edit-split';
import fields from '../../fields/fields.module.css';
import { layerText } from '../../model/layer-words';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import styles from './mesh.module.css';
import { cutsOf, movedCut, splitOf } from './stage-cuts';

const MOST_NAMED = 20;

export function StagesEditor() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const controller = useController();
  const { ranks } = usePalette();
  const strip = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<readonly number[]>();
  const { layers } = config.model;
  const settled = info?.config.pipeline.split;
  const starts = layers.flatMap(({ type }, i) => (LAYERS_WITH_WEIGHTS.has(type) ? [i] : []));
  if (!settled || info.config.model.layers.length !== layers.length || starts.length === 0) return null;
  const cuts = draft ?? cutsOf(settled, starts);
  const apply = (next: readonly number[]) => {
    setDraft(undefined);
    const edit = withStages(config, splitOf(next, starts, layers.length));
    if (edit.ok) controller.apply(edit.config);
  };
  const move = (cut: number, to: number) => movedCut(cuts, cut, to, starts.length);
  const onDrag = (cut: number) => (event: PointerEvent) => {
    const rect = strip.current?.getBoundingClientRect();
    if (!rect || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    setDraft(move(cut, Math.round(((event.clientX - rect.left) / rect.width) * starts.length)));
  };
  const stageOf = (unit: number) => cuts.filter((cut) => cut <= unit).length;
  const deviceOf = (unit: number) =>
    Math.max(
      0,
      info.layersOfDevice.findIndex((own) => own.includes(starts[unit] ?? 0)),
    );
  return (
    <div className={styles['stages']} title={PIPELINE.split.description}>
      <p className={styles['head']}>
        <span>Layers to stages</span>
        {config.pipeline.split && (
          <button
            type="button"
            className={`${fields['button']} ${fields['small']}`}
            title="Stages of about equally many operations"
            onClick={() => {
              const edit = withStages(config, undefined);
              if (edit.ok) controller.apply(edit.config);
            }}
          >
            even stages
          </button>
        )}
      </p>
      <div ref={strip} className={styles['strip']}>
        {starts.map((layer, unit) => (
          <span
            key={layer}
            data-odd={stageOf(unit) % 2 === 1 || undefined}
            style={{ ['--rank' as string]: ranks[deviceOf(unit) % ranks.length] }}
            title={`stage ${stageOf(unit)}: ${layer} ${layers[layer] ? layerText(layers[layer]) : ''}`}
          >
            {starts.length <= MOST_NAMED ? layer : ''}
          </span>
        ))}
        {cuts.map((cut, index) => (
          <Cut
            // biome-ignore lint/suspicious/noArrayIndexKey: a cut is its place
            key={index}
            index={index}
            count={cuts.length}
            cut={cut}
            starts={starts}
            onDrag={onDrag(index)}
            onDrop={() => draft && apply(draft)}
            onCancel={() => setDraft(undefined)}
            onStep={(by) => {
              const next = move(index, cut + by);
              if (next[index] !== cut) apply(next);
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface CutProps {
  readonly index: number;
  /** The number of cuts. */
  readonly count: number;
  readonly cut: number;
  /** The indices of the layers with weights. */
  readonly starts: readonly number[];
  readonly onDrag: (event: PointerEvent) => void;
  readonly onDrop: () => void;
  readonly onCancel: () => void;
  readonly onStep: (by: 1 | -1) => void;
}

/** The handle of a cut, a slider over the layers with weights. */
function Cut({ index, count, cut, starts, onDrag, onDrop, onCancel, onStep }: CutProps) {
  return (
    <div
      role="slider"
      tabIndex={0}
      className={styles['cut']}
      style={{ left: `${(100 * cut) / starts.length}%` }}
      aria-label={`Cut between stages ${index} and ${index + 1}`}
      aria-valuemin={index + 1}
      aria-valuemax={starts.length - (count - index)}
      aria-valuenow={cut}
      aria-valuetext={`stage ${index + 1} begins with layer ${starts[cut]}`}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onDrag}
      onPointerUp={onDrop}
      onPointerCancel={onCancel}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft' || key === 'ArrowDown') onStep(-1);
        if (key === 'ArrowRight' || key === 'ArrowUp') onStep(1);
      }}
    />
  );
}
