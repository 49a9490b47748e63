/** The line above the draft: the schedule to start from, the editor's keys as buttons, and "Run it". */
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';
import { COMPUTATIONS } from '../../protocol/pipeline';
import type { Complaint } from '../../schedules/complaint';
import head from '../lanes/head.module.css';
import { type ViewWindow, zoomedBy } from '../lanes/view-window';
import { ZoomButtons } from '../lanes/zoom-buttons';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import { actionsText, type Draft, draftOf, emptied, stagesOfRank, withOrders } from './draft';
import type { DraftCommand, Editing } from './edit-draft';
import { complaintWords } from './editor-words';
import styles from './pipeline.module.css';
import { knownSchedules } from './score';
import type { RunSchedule } from './use-run-schedule';

interface EditorToolsProps {
  readonly run: RunSchedule;
  readonly editing: Editing;
  readonly complaints: readonly Complaint[];
  readonly view: ViewWindow;
  readonly onView: (view: ViewWindow) => void;
  readonly onCommand: (command: DraftCommand) => void;
  readonly onStage: (stage: number | undefined) => void;
  readonly onDraft: (draft: Draft) => void;
  readonly onSay: (words: string) => void;
}

/** The line may be cut, so its tooltip has all of it. */
const HOW = 'drag a cell, or type F, B, I or W and a number; O pairs two cells';

/** The run's settings with the draft as schedule, on as many ranks as the draft has rows. */
export function withDraft(config: Config, draft: Draft): Config {
  const { ranks, stages, microBatches } = draft.size;
  const { split, ...pipeline } = config.pipeline;
  return {
    ...config,
    worldSize: ranks * ranksOf({ ...meshSizes(config), pp: 1 }),
    mesh: { ...config.mesh, pp: ranks },
    pipeline: {
      ...pipeline,
      ...(split?.length === stages ? { split } : {}),
      schedule: 'own',
      microBatches,
      actions: actionsText(draft),
    },
  };
}

const NAMES = { F: 'forward', B: 'backward', I: 'gradient of the input', W: 'gradients of the weights' } as const;

export function EditorTools(props: EditorToolsProps) {
  const { run, editing, complaints, onCommand, onDraft, onSay } = props;
  const { draft } = editing;
  const controller = useController();
  const locked = useApp((app) => app.lock.has('setup') || app.lock.has('training'));
  const isRunning = run.config.pipeline.schedule === 'own' && run.config.pipeline.actions === actionsText(draft);
  const runIt = () => {
    if (complaints.length > 0) onSay('The schedule cannot run yet.');
    else controller.apply(withDraft(run.config, draft));
  };
  const button = (name: string, text: string, command: DraftCommand, isOff = false) => (
    <button type="button" aria-label={name} title={name} disabled={isOff} onClick={() => onCommand(command)}>
      {text}
    </button>
  );
  return (
    <div className={head['head']}>
      <StartFrom draft={draft} run={run} onDraft={onDraft} />
      <PutIn editing={editing} onCommand={onCommand} onStage={props.onStage} />
      <span className={styles['tools']}>
        {button('Move earlier (Alt+Left)', '←', { type: 'earlier' })}
        {button('Move later (Alt+Right)', '→', { type: 'later' })}
        {button('Pair with the next cell, or take a pair apart (O)', '( ; )', { type: 'pair' })}
        {button('Remove (Delete)', '×', { type: 'delete' })}
        {button('Undo (Ctrl+Z)', '↶', { type: 'undo' }, draft.past.length === 0)}
        {button('Redo (Ctrl+Y)', '↷', { type: 'redo' }, draft.future.length === 0)}
      </span>
      <span className={head['label']} title={HOW}>
        {HOW}
      </span>
      <ZoomButtons whole="Show the whole step" onZoom={(factor) => props.onView(zoomedBy(props.view, factor))} />
      <button
        type="button"
        className={styles['run']}
        disabled={locked || isRunning}
        aria-disabled={complaints.length > 0 || undefined}
        title={complaints.length > 0 ? complaintWords(complaints) : 'Train by this schedule'}
        onClick={runIt}
      >
        {isRunning ? 'this runs' : 'Run it'}
      </button>
    </div>
  );
}

interface StartFromProps extends Pick<EditorToolsProps, 'run' | 'onDraft'> {
  readonly draft: Draft;
}

/** The choice of schedules from which a draft can start. */
function StartFrom({ draft, run, onDraft }: StartFromProps) {
  const start = (from: string) => {
    const known = knownSchedules(draft.size).find(({ name }) => name === from);
    if (known) onDraft(withOrders(draft, known.orders));
    if (from === 'nothing') onDraft(emptied(draft));
    if (from === 'run') onDraft(fromRun(draft, run));
  };
  return (
    <label className={styles['start']}>
      <span>Start from</span>
      <select value="" onChange={(event) => start(event.target.value)}>
        <option value="">…</option>
        <option value="run">what runs</option>
        {knownSchedules(draft.size).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
        <option value="nothing">nothing</option>
      </select>
    </label>
  );
}

/** Replaces the draft's cells by the run's schedule; if the size differs, makes a new draft. */
function fromRun(draft: Draft, { schedule }: RunSchedule): Draft {
  const { ranks, stages, microBatches } = schedule;
  const { size } = draft;
  return size.ranks === ranks && size.stages === stages && size.microBatches === microBatches
    ? withOrders({ ...draft, size: draftOf(schedule).size }, schedule.orders)
    : draftOf(schedule);
}

/** The computations as buttons, and the choice of the stage if the rank has several. */
function PutIn({ editing, onCommand, onStage }: Pick<EditorToolsProps, 'editing' | 'onCommand' | 'onStage'>) {
  const stages = stagesOfRank(editing.draft, editing.caret.rank);
  return (
    <fieldset className={styles['tools']}>
      <legend className="visually-hidden">Insert at the caret</legend>
      {COMPUTATIONS.map((kind) => (
        <button
          key={kind}
          type="button"
          data-kind={kind}
          aria-label={`Insert ${kind}`}
          title={`${NAMES[kind]} of the next micro-batch (key ${kind}; a number behind it is the micro-batch)`}
          onClick={() => onCommand({ type: 'insert', kind })}
        >
          {kind}
        </button>
      ))}
      {stages.length > 1 && (
        <label>
          of{' '}
          <select
            value={editing.stage ?? ''}
            aria-label="Stage of the new cell"
            onChange={(event) => onStage(event.target.value === '' ? undefined : Number(event.target.value))}
          >
            <option value="">the stage before</option>
            {stages.map((stage) => (
              <option key={stage} value={stage}>
                stage {stage}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}
