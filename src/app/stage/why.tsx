/** The reason for what happens, in one line beside the step; where the line is too short, a button opens all of it. */
import { useLayoutEffect, useRef } from 'react';
import { plainText } from '../../trace/moments/marked';
import { Note } from '../terms/term';
import styles from './stage-head.module.css';

export function Why({ text }: { text: string }) {
  const line = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const span = line.current;
    const row = span?.parentElement;
    if (!span || !row || text === '') return undefined;
    const look = () => {
      // Without the button the line has its whole width; a line that fits into it needs no button.
      row.removeAttribute('data-cut');
      const cut = span.scrollWidth > span.clientWidth || span.scrollHeight > span.clientHeight + 1;
      row.toggleAttribute('data-cut', cut);
    };
    const observer = new ResizeObserver(look);
    observer.observe(row);
    look();
    return () => observer.disconnect();
  }, [text]);
  return (
    <>
      <span ref={line} className={styles['why']} title={plainText(text)}>
        {text}
      </span>
      <span className={styles['asked']}>
        <Note label="Why?" named="Why">
          {text}
        </Note>
      </span>
    </>
  );
}
