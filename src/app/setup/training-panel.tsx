/** How it trains: batch, optimiser with its numbers, loss, order of the samples. */
import { withOptimizer } from '../edit-config';
import { withLoss } from '../edit-data';
import { Section } from '../fields/section';
import { Choice, ChoiceSetting, FlagSetting, NumberSetting } from '../fields/settings';
import { withLossType } from '../model/fit-model';
import { knownRow } from '../model/known-row';
import { useApp, useController } from '../use-app';
import styles from './training-panel.module.css';

const OPTIMIZERS = { SGD: 'SGD', Adam: 'Adam', AdamW: 'AdamW' } as const;
const LOSSES = { BCEWithLogitsLoss: 'BCE with logits', CrossEntropyLoss: 'cross-entropy', MSELoss: 'MSE' } as const;
const REDUCTIONS = { mean: 'mean', sum: 'sum' } as const;

const isKey = <T extends object>(table: T, key: string): key is Extract<keyof T, string> => Object.hasOwn(table, key);

export function TrainingPanel() {
  const config = useApp((app) => app.config);
  const perRank = useApp((app) => app.info?.batchPerRank);
  const info = useApp((app) => app.info);
  const controller = useController();
  const even = perRank && perRank.length > 1 && perRank.every((rows) => rows === perRank[0]);
  const shares = perRank && perRank.length > 1 && (even ? `${perRank.length} × ${perRank[0]}` : perRank.join(' + '));
  return (
    <Section part="training" title="Training">
      <NumberSetting label="Batch, all ranks" path="batchSize" />
      {shares && config.mode !== 'modelParallel' && <p className={styles['note']}>{shares} a step</p>}
      <Choice
        label="Optimiser"
        words={OPTIMIZERS}
        value={config.optimizer.type}
        onChange={(type) => isKey(OPTIMIZERS, type) && controller.apply(withOptimizer(config, type))}
      />
      <NumberSetting label="Learning rate" path="optimizer.lr" />
      <NumberSetting label="Momentum" path="optimizer.momentum" />
      <FlagSetting label="Nesterov" path="optimizer.nesterov" />
      <NumberSetting label="Weight decay" path="optimizer.weightDecay" />
      <Choice
        label="Loss"
        words={LOSSES}
        value={config.loss.type}
        onChange={(type) =>
          isKey(LOSSES, type) &&
          controller.apply(withLoss(config, withLossType(config.loss, type), knownRow(config, info)))
        }
      />
      <ChoiceSetting label="Reduction" path="loss.reduction" words={REDUCTIONS} />
      <FlagSetting label="Shuffle" path="shuffle" />
    </Section>
  );
}
