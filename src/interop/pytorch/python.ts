/**
 * Pieces of Python text: literals, keyword arguments that differ from PyTorch's defaults, and calls that break over
 * several lines if necessary. Called by the files of the PyTorch listing.
 */

/** A call with its arguments, or a text that needs no line breaks. */
export type Expression = string | Call;

export interface Call {
  readonly open: string;
  readonly items: readonly Expression[];
  readonly close: string;
}

const WIDTH = 76;

/** A string literal; what JSON escapes, Python reads alike. */
export const python = (text: string): string => (/^[\w ./*-]*$/.test(text) ? `'${text}'` : JSON.stringify(text));

/** An argument `name=value`, if the value is not PyTorch's default. */
export const keyword = (name: string, value: number, fallback: number): string[] =>
  value === fallback ? [] : [`${name}=${value}`];

/** Like `keyword`, for True and False. */
export const flag = (name: string, value: boolean, fallback = false): string[] =>
  value === fallback ? [] : [`${name}=${value ? 'True' : 'False'}`];

export const call = (name: string, items: readonly Expression[]): Call => ({ open: `${name}(`, items, close: ')' });

/** `name=value`. */
export const named = (name: string, value: Expression): Expression =>
  typeof value === 'string' ? `${name}=${value}` : { ...value, open: `${name}=${value.open}` };

export const oneLine = (e: Expression): string =>
  typeof e === 'string' ? e : `${e.open}${e.items.map(oneLine).join(', ')}${e.close}`;

/** `before` expression `after`: one line, or one for the opening, one for the closing and the items between. */
export function layout(before: string, expression: Expression, after: string): string[] {
  const whole = `${before}${oneLine(expression)}${after}`;
  if (typeof expression === 'string' || whole.length <= WIDTH) return [whole];
  const margin = before.slice(0, before.length - before.trimStart().length);
  const rows: string[] = [];
  let open = false;
  for (const item of expression.items) {
    const text = `${oneLine(item)},`;
    const last = rows.at(-1);
    if (open && last !== undefined && `${last} ${text}`.length <= WIDTH) rows[rows.length - 1] = `${last} ${text}`;
    else {
      const broken = layout(`${margin}    `, item, ',');
      rows.push(...broken);
      open = broken.length === 1;
    }
  }
  return [`${before}${expression.open}`, ...rows, `${margin}${expression.close}${after}`];
}
