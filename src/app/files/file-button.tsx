/** A button that lets the user choose files, in the browser's own dialog. */
import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { must } from '../../base/invariant';
import fields from '../fields/fields.module.css';
import type { GivenFile } from '../looks/dropped-folders';

interface FileButtonProps {
  /** What the chosen files are. */
  readonly label: string;
  /** As of an input element: endings of names and types; absent: any. */
  readonly accept?: string;
  readonly multiple?: boolean;
  /** At least one. */
  readonly onFiles: (files: readonly GivenFile[]) => void;
  readonly children: ReactNode;
}

export function FileButton({ label, accept, multiple = false, onFiles, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(target.files ?? [])].map((file) => ({ path: file.name, file }));
    target.value = '';
    if (chosen.length > 0) onFiles(chosen);
  };
  return (
    <>
      <button type="button" className={fields['button']} onClick={() => must(input.current, 'file input').click()}>
        {children}
      </button>
      <input ref={input} type="file" multiple={multiple} accept={accept} hidden aria-label={label} onChange={choose} />
    </>
  );
}
