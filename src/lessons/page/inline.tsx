/** A text of lesson.ts: names in backquotes are code, formulas are between dollars. */
import { createElement, Fragment, type ReactNode } from 'react';
import { Tex } from './math';

export function inline(text: string): ReactNode {
  const parts = text.split(/(`[^`]+`|\$[^$]+\$)/).map((part) => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    if (/^\$.+\$$/.test(part)) return <Tex tex={part.slice(1, -1)} />;
    return part;
  });
  return createElement(Fragment, undefined, ...parts);
}
