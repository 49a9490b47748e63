/** The tooltip of the stage: follows its item while the cursor moves, and disappears with it. */
import type { RefObject } from 'react';
import { Tooltip } from '../draw/tooltip';
import type { Painted } from '../draw/use-surface';
import { useThrottled } from '../draw/use-throttled';
import type { StageModel } from './stage-model';

interface StageTipProps {
  readonly model: StageModel;
  readonly onPainted: Painted['onPainted'];
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly id: string | undefined;
}

export function StageTip(props: StageTipProps) {
  return props.id === undefined ? null : <Following {...props} />;
}

function Following({ model, onPainted, canvas, id }: StageTipProps) {
  const scene = useThrottled(onPainted, () => model.scene, 60);
  const item = scene?.items.find((i) => i.id === id);
  const at = canvas.current?.getBoundingClientRect();
  if (!item || !at) return null;
  const anchor = { ...item.rect, x: item.rect.x + at.left, y: item.rect.y + at.top };
  return <Tooltip tip={item.tip()} anchor={anchor} figure={at} />;
}
