/**
 * The items of a canvas for the keyboard and for assistive tools: one stop of Tab, the arrow keys go from item to item,
 * Enter acts. Only the focused item is in the page, with its number among all, because hundreds of hidden buttons would
 * slow the page and screen readers.
 */

import { type KeyboardEvent, useId, useState } from 'react';
import { lookup } from '../../base/lookup';
import type { Tip } from './tip';
import type { Painted } from './use-surface';
import { useThrottled } from './use-throttled';

export interface ListedItem {
  readonly id: string;
  readonly tip: () => Tip;
}

export interface ItemListProps<T extends ListedItem> {
  readonly label: string;
  /** The items of the picture that was painted last. */
  readonly items: () => readonly T[];
  readonly onPainted: Painted['onPainted'];
  /** Called with the focused item; undefined when the focus leaves the list. */
  readonly onPoint: (item: T | undefined) => void;
  readonly onAct: (item: T) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
};

function spoken({ title, facts }: Tip): string {
  return [title, ...facts.map(([name, value]) => `${name}: ${value}`)].join('. ');
}

export function ItemList<T extends ListedItem>({ label, items: painted, onPainted, onPoint, onAct }: ItemListProps<T>) {
  const items = useThrottled(onPainted, painted, 250);
  const [chosen, setChosen] = useState<string>();
  const id = useId();
  const index = Math.max(
    0,
    items.findIndex((item) => item.id === chosen),
  );
  const item = items[index];
  const go = (to: number) => {
    const next = items[Math.min(Math.max(to, 0), items.length - 1)];
    setChosen(next?.id);
    onPoint(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = lookup(STEPS, event.key);
    if (step !== undefined) go(index + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(items.length - 1);
    else if ((event.key === 'Enter' || event.key === ' ') && item) onAct(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="visually-hidden"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={item && id}
      onKeyDown={onKeyDown}
      onFocus={() => go(index)}
      onBlur={() => onPoint(undefined)}
    >
      {item && (
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names this option
        <div id={id} role="option" aria-selected="true" aria-posinset={index + 1} aria-setsize={items.length}>
          {spoken(item.tip())}
        </div>
      )}
    </div>
  );
}
