/**
 * Words that the page begins without, as one part: what happens in a moment and why, the sentence of a single event,
 * who is late while the ranks hang, and the definitions of terms.
 */
export { GLOSSARY } from '../../protocol/words/glossary';
export { sentenceAt } from '../../trace/moments/moment-sentence';
export { whyOf } from '../../trace/moments/moment-why';
export { sentenceOf } from '../../trace/sentence';
export { standstillSentence } from './standstill-words';
