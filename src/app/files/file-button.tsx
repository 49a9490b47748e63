/** A button that lets the user choose files, in the browser's own dialog. */
import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { must } from '../../base/invariant';
import fields from '../fields/fields.module.css';
import type { GivenFile } from '../looks/dropped-folders';

interface FileButtonProps {
  /** Words for the kind of files to choose. */
  readonly label: string;
  /** The accepted files, as in an input element: endings of names, or types; absent: any. */
  readonly accept?: string;
  readonly multiple?: boolean;
  /** Receives the chosen files, at least one. */
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
