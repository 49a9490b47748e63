/**
 * The stages of ZeRO as a slider with four positions. Each position has a column of the bytes that a rank then keeps,
 * by the paper's formulas; the slider covers the columns, so a click on a column chooses its stage. Below it, the
 * chosen stage in PyTorch's words. Part of sharding-panel.tsx.
 */
import { useId } from 'react';
import type { ModelStates, ShardingInfo } from '../../../protocol/session-info';
import { SHARDED } from '../../../protocol/words/sharded';
import { formatSize } from '../../draw/format';
import { withSetting } from '../../edit/edit-config';
import { CATEGORY_WORDS } from '../../memory/memory-tree';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import panel from './sharding.module.css';
import styles from './stage-slider.module.css';
import { keptAt, STAGES } from './zero-stages';

const PARTS = ['parameters', 'gradients', 'states'] as const satisfies readonly (keyof ModelStates)[];

const sum = ({ parameters, gradients, states }: ModelStates): number => parameters + gradients + states;

export function StageSlider({ sharding }: { readonly sharding: ShardingInfo }) {
  const config = useApp((app) => app.config);
  const controller = useController();
  const id = useId();
  const { whole, ranks } = sharding;
  const chosen = STAGES[config.sharded.stage];
  if (!chosen) return null;
  const choose = (stage: number) => {
    if (stage === chosen.stage) return;
    const edit = withSetting(config, ['sharded', 'stage'], stage);
    if (edit.ok) controller.apply(edit.config);
  };
  const keeps = formatSize(sum(keptAt(chosen.stage, sharding)));
  return (
    <div className={styles['stages']}>
      <label htmlFor={id} title={SHARDED.stage.description}>
        {SHARDED.stage.title}: what is sharded
      </label>
      <div className={styles['slider']} title={STAGES.map(({ stage, torch }) => `${stage}: ${torch}`).join('\n')}>
        {STAGES.map(({ stage, word }) => {
          const kept = keptAt(stage, sharding);
          return (
            <div key={stage} className={styles['position']} data-chosen={stage === chosen.stage || undefined}>
              <span>{formatSize(sum(kept))}</span>
              <Column kept={kept} all={sum(whole)} />
              <span className={styles['knob']} />
              <b>{stage}</b>
              <span>{word}</span>
            </div>
          );
        })}
        <input
          id={id}
          type="range"
          min={0}
          max={STAGES.length - 1}
          step={1}
          value={chosen.stage}
          aria-valuetext={`stage ${chosen.stage}, ${chosen.torch}: ${chosen.sharded}, ${keeps} on each rank`}
          onChange={(event) => choose(Number(event.target.value))}
        />
      </div>
      <p className={styles['chosen']}>
        Stage {chosen.stage}, <Code>{chosen.torch}</Code>: {chosen.sharded}. {chosen.about}
      </p>
      <p className={panel['key']}>
        {PARTS.map((part) => (
          <span key={part} data-part={part}>
            {part === 'states' ? CATEGORY_WORDS.optimizer : part}
          </span>
        ))}
        <span>a shard is 1/{ranks}</span>
      </p>
    </div>
  );
}

/** A call that may be broken after its parenthesis. */
function Code({ children }: { readonly children: string }) {
  const [name = '', inside] = children.split('(');
  return (
    <code>
      {name}
      {inside !== undefined && (
        <>
          (<wbr />
          {inside}
        </>
      )}
    </code>
  );
}

/** A column of the kept bytes within an outline of the whole. */
function Column({ kept, all }: { readonly kept: ModelStates; readonly all: number }) {
  let top = 100;
  return (
    <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles['whole']} width="10" height="100" />
      {PARTS.map((part) => {
        const height = (100 * kept[part]) / all;
        top -= height;
        return <rect key={part} data-part={part} y={top} width="10" height={height} />;
      })}
    </svg>
  );
}
