/**
 * A word with its definition: a button, so that keyboard and finger reach it, and a popover with the definition from
 * protocol/words/glossary. The browser closes it on Esc and on a press elsewhere.
 */
import { type CSSProperties, type ReactNode, useId, useRef, useState } from 'react';
import type { TermId } from '../../protocol/words/glossary';
import styles from './term.module.css';
import { useStageWords } from './use-stage-words';

interface TermProps {
  readonly id: TermId;
  readonly children: ReactNode;
}

export function Term({ id, children }: TermProps) {
  return (
    <Note label={children} named={id}>
      <Definition id={id} />
    </Note>
  );
}

function Definition({ id }: { id: TermId }) {
  const words = useStageWords();
  return (
    <>
      <b>{id}</b> {words === 'missing' ? 'This definition could not be fetched.' : (words?.GLOSSARY[id] ?? '…')}
    </>
  );
}

interface NoteProps {
  readonly label: ReactNode;
  /** The note's subject, if the label alone does not name it. */
  readonly named: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

const WIDTH = 320;
const EDGE = 8;

/** A button that opens a short text beside it. */
export function Note({ label, named, className = styles['term'], children }: NoteProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<CSSProperties>();
  // A closed note must not be part of the surrounding text.
  const [open, setOpen] = useState(false);
  const stand = () => {
    const at = button.current?.getBoundingClientRect();
    if (!at) return;
    const left = Math.max(EDGE, Math.min(at.left, window.innerWidth - WIDTH - EDGE));
    const above = at.bottom > window.innerHeight / 2;
    setPlace(
      above
        ? { left, top: 'auto', bottom: window.innerHeight - at.top + 6 }
        : { left, top: at.bottom + 6, bottom: 'auto' },
    );
  };
  return (
    <>
      <button ref={button} type="button" className={className} popoverTarget={id} onClick={stand}>
        {label}
      </button>
      <span
        id={id}
        popover="auto"
        role="note"
        aria-label={named}
        className={styles['note']}
        style={place}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {open && children}
      </span>
    </>
  );
}
