/** The views of a language model's snapshot, fetched for runs that have one (snapshot.ts). */
export { createAnswersView } from './answers';
export { languageOf } from './language';
export { createTextView } from './sample-text';
