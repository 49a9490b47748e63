/** Drawings of the kind `at-size`: the worked example of each lesson, by the lesson's name. */
import { must } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { MODELS } from '../../../sizing/models';
import { write } from '../../facts/write';
import type { Changes } from '../../lesson';
import { drawBars } from '../bars';
import type { DrawingKind, Drawn, DrawnTable } from '../drawing';
import { effective, epoch, evaluating, scaling } from './epoch-topics';
import { failures, late } from './failure-topics';
import { checkpointing, oneDevice, replicas, stages } from './memory-topics';
import { meshes } from './mesh-topics';
import { whichMode } from './mode-topics';
import { pipeline, schedules } from './pipeline-topics';
import { halfPrecision } from './precision-topics';
import { sharding } from './sharding-topics';
import { tensorGroups } from './tensor-topics';
import { batchNorms, buckets, gather, ring, servers, starting } from './time-topics';
import { chosenOf, START, type Topic } from './topic';

/** By the lesson's folder. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'one-device': oneDevice,
  'why-more': scaling,
  'data-parallel': gather,
  ddp: replicas,
  'all-reduce': ring,
  buckets,
  samplers: epoch,
  'batch-size': effective,
  'what-else': batchNorms,
  'model-parallel': stages,
  pipelines: pipeline,
  'pipeline-schedules': schedules,
  'tensor-parallel': tensorGroups,
  sharding,
  meshes,
  'half-precision': halfPrecision,
  launching: starting,
  'when-it-goes-wrong': failures,
  'from-tensorflow': servers,
  'your-script': evaluating,
  traces: late,
  'which-mode': whichMode,
  checkpointing,
};

const topicOf = (about: string): Topic => must(lookup(TOPICS, about), `a worked example about ${about}`);

/** One column per model; the other settings stay the same. */
function tableOf(topic: Topic, settings: Changes): DrawnTable {
  const models = topic.models ?? MODELS;
  const columns = models.map(({ id }) => topic.show(chosenOf({ ...settings, model: id })).values);
  return {
    head: ['', ...models.map(({ label }) => label)],
    rows: (columns[0] ?? []).map(({ label, format }, row) => [
      label,
      ...columns.map((values) => write(values[row]?.value ?? Number.NaN, format)),
    ]),
  };
}

export const kind: DrawingKind = {
  knobs: (about) => topicOf(about).knobs,
  start: (about) => ({ ...START, ...topicOf(about).start }),
  draw({ settings, width, about }): Drawn {
    const topic = topicOf(about);
    const { bars, values, says } = topic.show(chosenOf(settings));
    return { svg: drawBars(bars, width, says), says, values, table: tableOf(topic, settings) };
  },
};
