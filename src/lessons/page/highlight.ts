/** Highlights Python at build: with classes, because the page's policy forbids inline styles. */
import { createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import python from 'shiki/langs/python.mjs';
import light from 'shiki/themes/github-light.mjs';

export type Highlight = (code: string, marked: readonly number[]) => string;

/** Kinds of tokens, by the colour that the theme gives them; the style sheet has its own colour for each kind. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['#6A737D', 'comment'],
  ['#D73A49', 'keyword'],
  ['#032F62', 'string'],
  ['#005CC5', 'name'],
  ['#6F42C1', 'function'],
  ['#E36209', 'argument'],
]);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export async function createHighlight(): Promise<Highlight> {
  const highlighter = await createHighlighterCore({
    themes: [light],
    langs: [python],
    engine: createJavaScriptRegexEngine(),
  });
  return (code, marked) => {
    const { tokens } = highlighter.codeToTokens(code, { lang: 'python', theme: 'github-light' });
    const lines = tokens.map((line, index) => {
      const text = line
        .map(({ content, color }) => {
          const kind = KINDS.get(color?.toUpperCase() ?? '');
          return kind === undefined ? escaped(content) : `<span class="code-${kind}">${escaped(content)}</span>`;
        })
        .join('');
      return marked.includes(index) ? `<mark>${text}</mark>` : text;
    });
    return `<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`;
  };
}
