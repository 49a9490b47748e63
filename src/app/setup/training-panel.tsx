/** How it trains: batch, optimiser with its numbers, schedule, loss, clipping, and what saves time or memory. */
import { LOSS_TYPES, OPTIMIZER_TYPES, withOptimizer } from '../edit/edit-config';
import { withLoss } from '../edit/edit-data';
import { MORE_OPTIMIZER_WORDS, OPTIMIZER_WORDS } from '../edit/setting-words';
import { Section } from '../fields/section';
import { Choice, ChoiceSetting, FlagSetting, NumberSetting, SettingOfAnyKind } from '../fields/settings';
import { withLossType } from '../model/fit-model';
import { knownRow } from '../model/known-row';
import { useApp, useController } from '../state/use-app';
import { SchedulePanel } from './schedule-panel';
import styles from './training-panel.module.css';

const OPTIMIZERS = Object.fromEntries(OPTIMIZER_TYPES.map((type) => [type, type]));
const LOSSES: Readonly<Record<(typeof LOSS_TYPES)[number], string>> = {
  BCEWithLogitsLoss: 'BCE with logits',
  CrossEntropyLoss: 'cross-entropy',
  NLLLoss: 'NLL',
  MSELoss: 'MSE',
  L1Loss: 'L1',
  SmoothL1Loss: 'smooth L1',
};
const DROP_LAST = 'drop_last: leaves out the last batch of an epoch where it is not full.';
const DROP_LAST_DDP =
  'drop_last of the DistributedSampler: leaves out up to N−1 rows so that all N ranks have equally many, instead of repeating rows. A last batch that is not full is still trained on.';
const REDUCTIONS = { mean: 'mean', sum: 'sum' } as const;

export function TrainingPanel() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const perRank = info?.batchPerRank;
  const controller = useController();
  const even = perRank && perRank.length > 1 && perRank.every((rows) => rows === perRank[0]);
  const shares = perRank && perRank.length > 1 && (even ? `${perRank.length} × ${perRank[0]}` : perRank.join(' + '));
  const groups = config.paramGroups.map(({ match, ...own }) =>
    [match, ...Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))].join(
      ' ',
    ),
  );
  return (
    <Section part="training" title="Training">
      <NumberSetting label="Batch, all ranks" path="batchSize" title="batch_size: samples per step, over all ranks." />
      {shares && config.mode !== 'modelParallel' && <p className={styles['note']}>{shares} per step</p>}
      <Choice
        label="Optimiser"
        words={OPTIMIZERS}
        value={config.optimizer.type}
        title={`torch.optim.${config.optimizer.type}: changing it brings PyTorch's defaults.`}
        onChange={(chosen) => {
          const type = OPTIMIZER_TYPES.find((known) => known === chosen);
          if (type) controller.apply(withOptimizer(config, type));
        }}
      />
      {Object.entries(OPTIMIZER_WORDS).map(([field, words]) => (
        <SettingOfAnyKind key={field} path={`optimizer.${field}`} {...words} />
      ))}
      <SchedulePanel />
      <Choice
        label="Loss"
        words={LOSSES}
        value={config.loss.type}
        title={`torch.nn.${config.loss.type}`}
        onChange={(chosen) => {
          const type = LOSS_TYPES.find((known) => known === chosen);
          if (type) controller.apply(withLoss(config, withLossType(config.loss, type), knownRow(config, info)));
        }}
      />
      <details className={styles['more']}>
        <summary>More</summary>
        {Object.entries(MORE_OPTIMIZER_WORDS).map(([field, words]) => (
          <SettingOfAnyKind key={field} path={`optimizer.${field}`} {...words} />
        ))}
        {groups.length > 0 && (
          <p
            className={styles['note']}
            title="Parameter groups: the first one whose pattern matches a parameter's name counts."
          >
            {groups.join('; ')}
          </p>
        )}
        <ChoiceSetting
          label="Reduction"
          path="loss.reduction"
          words={REDUCTIONS}
          title="reduction: mean or sum over the batch."
        />
        <NumberSetting
          label="Smoothing"
          path="loss.labelSmoothing"
          title="label_smoothing: part of the target that is spread over all classes; empty: none."
        />
        <NumberSetting label="Beta" path="loss.beta" title="beta: where the parabola becomes a line." />
        <FlagSetting label="Shuffle" path="shuffle" title="shuffle: a new order of the rows each epoch." />
        <FlagSetting label="Drop last" path="dropLast" title={config.mode === 'ddp' ? DROP_LAST_DDP : DROP_LAST} />
      </details>
      <NumberSetting
        label="Clip norm"
        path="clipGradNorm"
        title="torch.nn.utils.clip_grad_norm_(max_norm): multiplies all gradients by min(1, max_norm / (their common norm + 1e-6)); empty: not clipped."
      />
      {config.clipGradNorm !== undefined && (
        <NumberSetting
          label="Norm type"
          path="clipGradNormType"
          title="norm_type of clip_grad_norm_: 2, 1 or another p of the p-norm, or inf for the greatest absolute value; empty: 2."
        />
      )}
      <NumberSetting
        label="Clip value"
        path="clipGradValue"
        title="torch.nn.utils.clip_grad_value_(clip_value): limits every element of every gradient to [-clip_value, clip_value], after clipping by norm; empty: not clipped."
      />
      <NumberSetting
        label="Accumulate"
        path="accumulate"
        title="Micro-batches whose gradients add up in .grad before optimizer.step(); the step counter counts the latter. Under DDP all but the last run in no_sync()."
      />
      <FlagSetting
        label="Fused kernels"
        path="fuse"
        title="Lockstep's own: runs a matmul with its bias and activation, and chains of elementwise operators, as one kernel, and gives the same bits. torch.compile fuses, too, but not the same operators, and does not promise equal bits."
      />
      <NumberSetting
        label="Checkpointing"
        path="checkpointSegments"
        title="torch.utils.checkpoint.checkpoint_sequential(segments), the number of segments: keeps only the input of each run of layers and computes the rest again in backward; empty: everything is kept."
      />
    </Section>
  );
}
