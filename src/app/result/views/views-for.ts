/** The views of the result that a run has, by its data and its model: the tabs of views.tsx, in their order. */
import type { LayerConfig } from '../../../protocol/config';
import type { DatasetPreview, SessionInfo } from '../../../protocol/session-info';

export type ViewId = 'draw' | 'confusion' | 'mistakes' | 'filters' | 'text' | 'answers' | 'attention';

export const VIEW_NAMES: Readonly<Record<ViewId, string>> = {
  draw: 'Draw',
  confusion: 'Confusion',
  mistakes: 'Mistakes',
  filters: 'Filters',
  text: 'Text',
  answers: 'Answers',
  attention: 'Attention',
};

/** Whether the result has a decision field, or a plot of predicted against target. */
export const hasField = (dataset: DatasetPreview): boolean =>
  dataset.points.length > 0 || dataset.task === 'regression';

/** Whether the parameter is the weight of a Conv2d: [out, in, height, width]. */
export const isFilter = ({ shape }: { readonly shape: readonly number[] }): boolean => shape.length === 4;

/**
 * Data whose images are ink from 0 to 1; other images are noise, or scaled by their file in a way unknown to the page.
 */
const DRAWABLE: ReadonlySet<string> = new Set(['digits', 'shapes', 'idx', 'png']);

const attends = (layer: LayerConfig): boolean =>
  layer.type === 'MultiheadAttention' ||
  layer.type === 'TransformerBlock' ||
  (layer.type === 'Residual' && layer.layers.some(attends));

export function viewsFor({
  config,
  dataset,
  parameters,
}: Pick<SessionInfo, 'config' | 'dataset' | 'parameters'>): readonly ViewId[] {
  const image = dataset.kind === 'image';
  const classes = dataset.task === 'classification' && dataset.kind !== 'tokens';
  const has: Readonly<Record<ViewId, boolean>> = {
    draw: image && classes && DRAWABLE.has(config.data.type),
    confusion: classes && (dataset.kind !== 'points' || dataset.classNames.length > 2),
    mistakes: image && classes,
    filters: parameters.some(isFilter),
    text: dataset.kind === 'tokens' && config.data.type === 'text',
    answers: dataset.kind === 'tokens' && config.data.type !== 'text',
    attention: config.model.layers.some(attends),
  };
  return (Object.keys(has) as ViewId[]).filter((id) => has[id]);
}
