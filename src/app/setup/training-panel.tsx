/**
 * The training settings: batch, optimiser with its numbers, schedule, loss, clipping, and options that save time or
 * memory.
 */
import { FACES } from '../../parallel/faces';
import { OPTIMIZER_TYPES } from '../../protocol/config/optimizer';
import { LOSS } from '../../protocol/words/loss';
import { OPTIMIZER } from '../../protocol/words/optimizer';
import { RUN } from '../../protocol/words/run';
import { LOSS_TYPES, withOptimizer } from '../edit/edit-config';
import { withLoss } from '../edit/edit-data';
import { parseGroups, printGroups } from '../edit/group-text';
import { Section } from '../fields/section';
import {
  Choice,
  ChoiceSetting,
  FlagSetting,
  ListSetting,
  NumberSetting,
  SettingOfAnyKind,
  TextSetting,
} from '../fields/settings';
import { withLossType } from '../model/fit-model';
import { knownRow } from '../model/known-row';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import { PrecisionFields } from './precision-fields';
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
  HuberLoss: 'Huber',
};
const USUAL = [OPTIMIZER.lr, OPTIMIZER.momentum, OPTIMIZER.nesterov, OPTIMIZER.weightDecay];
const OTHERS = Object.values(OPTIMIZER).filter((setting) => !USUAL.includes(setting));
const REDUCTIONS = { mean: 'mean', sum: 'sum' } as const;

export function TrainingPanel() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const perRank = info?.batchPerRank;
  const controller = useController();
  const even = perRank && perRank.length > 1 && perRank.every((rows) => rows === perRank[0]);
  const shares = perRank && perRank.length > 1 && (even ? `${perRank.length} × ${perRank[0]}` : perRank.join(' + '));
  return (
    <Section part="training" title="Training">
      <NumberSetting {...RUN.batchSize} />
      {shares && FACES[config.mode].splitsBatch && <p className={styles['note']}>{shares} per step</p>}
      <Choice
        label={RUN.optimizer.title}
        words={OPTIMIZERS}
        value={config.optimizer.type}
        title={RUN.optimizer.description}
        onChange={(chosen) => {
          const type = OPTIMIZER_TYPES.find((known) => known === chosen);
          if (type) controller.apply(withOptimizer(config, type));
        }}
      />
      {USUAL.map((setting) => (
        <SettingOfAnyKind key={setting.path} {...setting} />
      ))}
      <SchedulePanel />
      <Choice
        label={RUN.loss.title}
        words={LOSSES}
        value={config.loss.type}
        title={RUN.loss.description}
        onChange={(chosen) => {
          const type = LOSS_TYPES.find((known) => known === chosen);
          if (type) controller.apply(withLoss(config, withLossType(config.loss, type), knownRow(config, info)));
        }}
      />
      <details className={styles['more']}>
        <summary>More</summary>
        {OTHERS.map((setting) => (
          <SettingOfAnyKind key={setting.path} {...setting} />
        ))}
        <TextSetting
          {...RUN.paramGroups}
          print={printGroups}
          parse={parseGroups}
          example="*.bias weightDecay 0; blocks.* lr 0.01"
        />
        <ChoiceSetting {...LOSS.reduction} words={REDUCTIONS} />
        <NumberSetting {...LOSS.labelSmoothing} />
        <NumberSetting {...LOSS.beta} />
        <NumberSetting {...LOSS.delta} />
        <NumberSetting {...LOSS.ignoreIndex} />
        <ListSetting {...LOSS.classWeights} absent="all alike" example="1, 2" />
        <ListSetting {...LOSS.posWeight} absent="none" example="3" />
        <FlagSetting {...RUN.shuffle} />
        <FlagSetting {...RUN.dropLast} />
      </details>
      <NumberSetting {...RUN.clipGradNorm} whenEmpty="off" />
      {config.clipGradNorm !== undefined && <NumberSetting {...RUN.clipGradNormType} />}
      <NumberSetting {...RUN.clipGradValue} whenEmpty="off" />
      <NumberSetting {...RUN.accumulate} />
      <PrecisionFields />
      <FlagSetting {...RUN.fuse} />
      <NumberSetting {...RUN.threads} />
      <FlagSetting {...RUN.fusedMultiplyAdd} />
      <NumberSetting {...RUN.checkpointSegments} />
    </Section>
  );
}
