/**
 * One of several panels at a time, under tabs; arrow keys, Home and End move from tab to tab. The caller stores which
 * tab is open.
 */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import styles from './tabs.module.css';

interface TabsProps {
  /** The name of the row of tabs, for screen readers. */
  readonly label: string;
  readonly names: readonly string[];
  /** The index of the shown tab. */
  readonly index: number;
  readonly onIndex: (index: number) => void;
  /** A style for the row of tabs other than underlined. */
  readonly className?: string | undefined;
  readonly panelClass: string | undefined;
  /** The shown panel. */
  readonly children: ReactNode;
}

/** The tab to which a key leads. */
function tabOf(key: string, index: number, count: number): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : undefined;
  return step && (index + step + count) % count;
}

export function Tabs({ label, names, index, onIndex, className, panelClass, children }: TabsProps) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = tabOf(event.key, index, names.length);
    if (next === undefined) return;
    event.preventDefault();
    onIndex(next);
    const tab = list.current?.children[next];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className={className ?? styles['tabs']} onKeyDown={onKeyDown}>
        {names.map((name, i) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${base}-${i}`}
            aria-selected={i === index}
            aria-controls={`${base}-panel`}
            tabIndex={i === index ? 0 : -1}
            onClick={() => onIndex(i)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${index}`} className={panelClass}>
        {children}
      </div>
    </>
  );
}
