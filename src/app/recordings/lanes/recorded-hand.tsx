/** The element that receives pointer and keyboard on a recorded timeline: a slider over the recording's spans. */
import type { KeyboardEvent, RefObject } from 'react';
import lanes from '../../lanes/lanes.module.css';
import type { useLanesPointer } from '../../lanes/use-lanes-pointer';
import { spoken } from './found-words';
import type { RecordedModel } from './recorded-model';
import type { FoundAt } from './recorded-scene-types';

const KEYS =
  'Arrows: from span to span. w and s zoom, a and d move, f fits what is selected, 0 shows everything, / searches.';

interface RecordedHandProps {
  readonly hand: RefObject<HTMLDivElement | null>;
  readonly model: RecordedModel;
  readonly selected: FoundAt | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly hands: ReturnType<typeof useLanesPointer>;
}

export function RecordedHand({ hand, model, selected, onKeyDown, hands }: RecordedHandProps) {
  const { recording, analysis } = model;
  return (
    <div
      ref={hand}
      className={lanes['hand']}
      role="slider"
      tabIndex={0}
      aria-label="Recorded spans"
      aria-valuemin={0}
      aria-valuemax={recording.spanCount}
      aria-valuenow={selected?.kind === 'span' ? selected.at.span : 0}
      aria-valuetext={selected ? spoken(recording, analysis, selected) : 'nothing is selected'}
      aria-description={KEYS}
      onKeyDown={onKeyDown}
      {...hands}
    />
  );
}
