/** The views of a language model's snapshot, loaded for runs with such a model (snapshot.ts). */
export { createAnswersView } from './answers';
export { languageOf } from './language';
export { createTextView } from './sample-text';
