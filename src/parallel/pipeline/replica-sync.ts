/**
 * DDP around each stage: the part of a stage that its reducer sees, when it reduces, and the random numbers of its
 * communication hook. Every DDP object has its own hook state, so every stage draws as if it were alone. Called by
 * compile.ts and axes/stages.
 */
import { at, must } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { commHookOf } from '../ddp/comm-hooks/comm-hooks';
import { bucketsOf, findsUnused } from '../ddp/ready-order';
import { ddpSync } from '../ddp/sync';
import type { Noise } from '../facets/mode-steps';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';
import { nodesOfAction } from '../step/backward-halves';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { createStageGraphs, scheduleOf } from './stages';
import { tiesOf } from './ties';

/** All micro-batches but the last are in no_sync. */
export function replicaSync(step: Pick<Step, 'builder' | 'input' | 'kind' | 'stages'>, schedule: Schedule): Sync {
  const lasts = weightGradients(schedule).map((own) => own.at(-1));
  return ddpSync({
    ...step,
    reducesIn: ({ stage, kind, microBatch }) => (kind === 'B' || kind === 'W') && lasts[stage] === microBatch,
    seen: (graph) => seenOf(step.input, graph),
    madeBefore,
  });
}

/**
 * Shared weights are left out: tied-sync.ts adds them up. Parameters that forward does not use count only if DDP looks
 * for them (find_unused_parameters). Otherwise this run leaves them out, where torch would stop at its second step.
 */
function seenOf({ config }: ModeInput, graph: StageGraph): StageGraph | undefined {
  const shared = new Set(tiesOf(config).map(({ name }) => name));
  const own = (list: StageGraph['registered']) => list.filter(({ name }) => !shared.has(name));
  const parameters = own(graph.parameters);
  if (parameters.length === 0) return undefined;
  return { ...graph, parameters, registered: findsUnused(config) ? own(graph.registered) : parameters };
}

/** An action of kind I has already completed weight gradients if one operator makes both gradients. */
function madeBefore(stage: StageGraph, { kind }: PipelineAction): readonly string[] {
  if (kind === 'B') return [];
  const now = new Set(
    nodesOfAction(stage, kind).flatMap(({ outputs }) => outputs.map((id) => at(stage.graph.values, id).name)),
  );
  return stage.parameters.flatMap(({ fresh }) => (now.has(fresh) ? [] : [fresh]));
}

/** For each stage, its micro-batches in the order in which their weight gradients are made. */
export function weightGradients({ stages, orders }: Schedule): readonly (readonly number[])[] {
  const made: number[][] = Array.from({ length: stages }, () => []);
  for (const { stage, kind, microBatch } of orders.flatMap(actionsOf))
    if (kind === 'B' || kind === 'W') at(made, stage).push(microBatch);
  for (const [stage, own] of made.entries()) must(own[0], `a backward of stage ${stage}`);
  return made;
}

/** What the hooks of all stages draw in a step. */
export function noiseForStep(input: ModeInput): (step: number) => readonly Noise[] {
  const { config } = input;
  const hook = commHookOf(config);
  if (!hook.draws) return () => [];
  const schedule = scheduleOf(config);
  const graphOf = createStageGraphs(input, schedule);
  const draws = Array.from({ length: schedule.stages }, (_, stage) => {
    const graph = seenOf(input, graphOf(stage, { rows: 2, gradients: 'set' }));
    if (!graph) return () => [];
    const shapes = new Map(graph.graph.values.map(({ name, type }) => [name, type.shape]));
    const buckets = bucketsOf(graph, config, true).map((own) => own.map(({ name }) => must(shapes.get(name), name)));
    return must(hook.draws, 'draws')(config, buckets);
  });
  const prefixOf = (stage: number): string => (schedule.stages > 1 ? stagePrefix(stage) : '');
  return (step) =>
    draws.flatMap((draw, stage) =>
      draw(step).map(({ buffer, data }) => ({ buffer: `${prefixOf(stage)}${buffer}`, data })),
    );
}

const stagePrefix = (stage: number): string => `stage${stage}.`;
