/** The way from the numbers of a small net to the lesson that computes them for models and machines in use. */
import type { Mode } from '../../protocol/config';
import { useApp } from '../state/use-app';

/** The lesson that calculates what a mode costs. */
export const LESSON_OF_MODE: Readonly<Record<Mode, string>> = {
  single: 'one-device',
  dataParallel: 'data-parallel',
  ddp: 'ddp',
  modelParallel: 'model-parallel',
  pipeline: 'pipelines',
  sharded: 'sharding',
  tensor: 'tensor-parallel',
  parameterServer: 'from-tensorflow',
};

export function AtYourSize() {
  const lesson = useApp((app) => LESSON_OF_MODE[app.config.mode]);
  const hidden = useApp((app) => app.hide.has('lessons'));
  if (hidden) return null;
  return (
    <a
      href={`learn/${lesson}.html#at-your-size`}
      title="What this mode costs with a published model on rented machines"
    >
      At your size
    </a>
  );
}
