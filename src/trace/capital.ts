/** Begins a sentence. Apart from words.ts, so that the page can load words.ts later. */

/** 'Rank 2 ...' for 'rank 2 ...'; device names stay small, as PyTorch writes them. */
export const capital = (sentence: string): string =>
  sentence.startsWith('cuda:') || sentence.includes('(): ')
    ? sentence
    : sentence.charAt(0).toUpperCase() + sentence.slice(1);
