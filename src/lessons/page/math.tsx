/** Formulas as MathML, which browsers draw by themselves: no fonts, no styles. */
import katex from 'katex';

export const mathOf = (tex: string, block: boolean): string =>
  katex.renderToString(tex, { output: 'mathml', displayMode: block, throwOnError: true, strict: 'error' });

export const Tex = ({ tex }: { tex: string }) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by KaTeX from the lesson's own text
  <span className="formula" dangerouslySetInnerHTML={{ __html: mathOf(tex, false) }} />
);
