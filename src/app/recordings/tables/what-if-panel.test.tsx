/** What an empty field of the what-if panel says: the recording holds, not a default. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { WhatIfPanel } from './what-if-panel';

it('says in its empty fields that the recorded values hold', () => {
  const markup = renderToStaticMarkup(<WhatIfPanel ask={() => new Promise(() => {})} />);
  const placeholders = [...markup.matchAll(/placeholder="([^"]*)"/g)].map(([, text]) => text);
  expect(placeholders).toEqual(['as recorded', 'as recorded', 'as recorded']);
});
