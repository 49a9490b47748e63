/**
 * Sentences whose layers and buckets are marked, so that a page can colour them: a template writes «layer 4» and
 * ‹bucket 0›, a reader takes the parts or the plain text. Pure.
 */
export interface SentencePart {
  readonly text: string;
  readonly role?: 'layer' | 'bucket';
}

const MARK = /«([^»]*)»|‹([^›]*)›/g;

export function partsOf(marked: string): readonly SentencePart[] {
  const parts: SentencePart[] = [];
  let end = 0;
  for (const match of marked.matchAll(MARK)) {
    const [whole, layer, bucket] = match;
    if (match.index > end) parts.push({ text: marked.slice(end, match.index) });
    parts.push(layer === undefined ? { text: bucket ?? '', role: 'bucket' } : { text: layer, role: 'layer' });
    end = match.index + whole.length;
  }
  if (end < marked.length) parts.push({ text: marked.slice(end) });
  return parts;
}

export const plainText = (marked: string): string => marked.replace(MARK, (_, layer, bucket) => layer ?? bucket ?? '');
