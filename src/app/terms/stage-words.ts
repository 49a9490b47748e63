/**
 * Words that the page does not need at the start, as one part: the sentence of a moment and its reason, the sentence of
 * a single event, who is late while the ranks hang, and the definitions of terms.
 */
export { GLOSSARY } from '../../protocol/words/glossary';
export { sentenceAt } from '../../trace/moments/moment-sentence';
export { whyOf } from '../../trace/moments/moment-why';
export { sentenceOf } from '../../trace/sentence';
export { standstillSentence } from './standstill-words';
