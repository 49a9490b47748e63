/**
 * The editor for how a tensor group divides each layer: one row per divisible module, with a small picture of its
 * weight for each style. Below the rows is the plan's cost, counted in the run. Fetched when a mode with tensor groups
 * is chosen.
 */
import { useState } from 'react';
import type { StyleName } from '../../../protocol/config/tensor';
import type { PlanInfo, PlanModule } from '../../../protocol/session-info';
import { TENSOR } from '../../../protocol/words/tensor';
import { formatSize } from '../../draw/format';
import { withTensorPlan } from '../../edit/edit-split';
import fields from '../../fields/fields.module.css';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import styles from './plan.module.css';
import { costOf, type PlanSetting, same, withStyle } from './plan-changes';

export function PlanEditor() {
  const config = useApp((app) => app.config);
  const plan = useApp((app) => app.info?.plan);
  const controller = useController();
  // The pressed choice is shown until the run with that plan has opened, or was refused and the old setting is back.
  const [pressed, setPressed] = useState<Pressed>();
  if (!plan) return null;
  const shown = (module: PlanModule): PlanModule => {
    const waits = pressed?.before === plan && same(pressed.plan, config.tensor.plan);
    if (!waits || pressed.path !== module.path) return module;
    const { style: _, ...whole } = module;
    return pressed.style === undefined ? whole : { ...whole, style: pressed.style };
  };
  const apply = (next: Parameters<typeof withTensorPlan>[1]) =>
    controller.apply(withTensorPlan(config, next, plan.head));
  return (
    <section className={styles['plan']} aria-label={TENSOR.plan.title} title={TENSOR.plan.description}>
      <p className={styles['head']}>
        <span>{TENSOR.plan.title}</span>
        {config.tensor.plan && (
          <button
            type="button"
            className={`${fields['button']} ${fields['small']}`}
            title="Pairs of columns and rows, as many as the model has"
            onClick={() => apply(undefined)}
          >
            made for the model
          </button>
        )}
      </p>
      <ul className={styles['modules']}>
        {plan.modules.map((module) => (
          <li key={module.path}>
            <ModuleRow
              module={shown(module)}
              gathers={plan.gathersFor.includes(module.path)}
              onStyle={(style) => {
                const next = withStyle(plan, module.path, style);
                setPressed({ before: plan, plan: next, path: module.path, style });
                apply(next);
              }}
            />
          </li>
        ))}
      </ul>
      <Cost plan={plan} />
    </section>
  );
}

interface Pressed {
  readonly before: PlanInfo;
  readonly plan: PlanSetting;
  readonly path: string;
  readonly style: StyleName | undefined;
}

interface RowProps {
  readonly module: PlanModule;
  /** Whether a tensor is gathered before this module, without a setting for that. */
  readonly gathers: boolean;
  readonly onStyle: (style: StyleName | undefined) => void;
}

function ModuleRow({ module: { path, type, style, choices, sharesWith, parameters }, gathers, onStyle }: RowProps) {
  const share = parameters.own < parameters.whole ? `, ${parameters.own} of ${parameters.whole} numbers on rank 0` : '';
  const shared = sharesWith.length > 0 ? `; shares its weight with ${sharesWith.join(' and ')}` : '';
  return (
    <fieldset className={styles['module']}>
      <legend title={`${type}${share}${shared}`}>
        {path} <span className={styles['type']}>{type}</span>
      </legend>
      {[undefined, ...choices].map((choice) => (
        <label key={choice ?? 'whole'} title={choice === undefined ? WHOLE.about : WAYS[choice].about}>
          <input type="radio" name={`plan ${path}`} checked={style === choice} onChange={() => onStyle(choice)} />
          <WayPicture way={choice} />
          <span>{choice === undefined ? WHOLE.word : WAYS[choice].word}</span>
        </label>
      ))}
      {gathers && (
        <p className={styles['why']}>
          an all-gather runs here: the layer before outputs parts, and this layer needs the whole tensor
          {choices.includes('RowwiseParallel') && style !== 'RowwiseParallel' ? '; cut this layer by rows instead' : ''}
        </p>
      )}
    </fieldset>
  );
}

const WHOLE = { word: 'whole', about: 'Every rank has the whole module and computes the same.' };

const WAYS: Readonly<Record<StyleName, { readonly word: string; readonly about: string }>> = {
  ColwiseParallel: { word: 'columns', about: 'ColwiseParallel: each rank computes its part of the outputs.' },
  RowwiseParallel: {
    word: 'rows',
    about: 'RowwiseParallel: each rank multiplies its part of the inputs, and the products of all ranks are added.',
  },
  SequenceParallel: { word: 'sequence', about: 'SequenceParallel: each rank has some positions of the sequence.' },
  PrepareModuleInput: {
    word: 'input prepared',
    about: 'PrepareModuleInput: the input is gathered or cut before the module; every rank has the whole module.',
  },
  PrepareModuleOutput: {
    word: 'output prepared',
    about: 'PrepareModuleOutput: the output is gathered or cut after the module; every rank has the whole module.',
  },
};

/** A picture of the matrix A in Y = X A, whose columns give the outputs, with the lines along which it is cut. */
function WayPicture({ way }: { readonly way: StyleName | undefined }) {
  return (
    <svg className={styles['picture']} viewBox="0 0 18 14" aria-hidden="true">
      <rect x="1" y="1" width="16" height="12" rx="1.5" />
      {way === 'ColwiseParallel' && <path d="M9 1V13" />}
      {way === 'RowwiseParallel' && <path d="M1 7H17" />}
      {way === 'SequenceParallel' && <path d="M1 4H17M1 7H17M1 10H17" />}
    </svg>
  );
}

function Cost({ plan }: { readonly plan: PlanInfo }) {
  const { forward, backward, bytes } = costOf(plan);
  const { parameters, activation } = plan;
  const total = forward + backward;
  return (
    <dl className={styles['cost']}>
      <dt>Collectives</dt>
      <dd>
        {total === 0 ? 'none' : `${forward} forward, ${backward} backward; inputs of ${formatSize(bytes)} per rank`}
      </dd>
      <dt>Parameters of a rank</dt>
      <dd>
        {parameters.own.toLocaleString('en')} of {parameters.whole.toLocaleString('en')}
      </dd>
      <dt>Largest activation</dt>
      <dd>
        {activation.own === activation.whole
          ? `${formatSize(activation.own)}, as on one device`
          : `${formatSize(activation.own)}; on one device ${formatSize(activation.whole)}`}
      </dd>
    </dl>
  );
}
