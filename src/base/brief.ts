/** Shortens what users wrote to a length that fits into a message; all messages that quote users call it. */

/** The text, or its beginning and how long it is: `abc... (900,000 characters)`. */
export function brief(text: string, most = 60): string {
  if (text.length <= most) return text;
  // Never cuts a surrogate pair in two.
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}... (${text.length.toLocaleString('en')} characters)`;
}

/** The first items in a row and how many there are beside: `a, b and 99,998 more`. */
export function firstFew(items: readonly string[], most = 8, between = ', '): string {
  const shown = items
    .slice(0, most)
    .map((item) => brief(item))
    .join(between);
  const more = items.length - most;
  return more > 0 ? `${shown}${between === ', ' ? ' ' : between}and ${more.toLocaleString('en')} more` : shown;
}
