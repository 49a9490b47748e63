/** Text of a language model: samples taken at a few steps while it learns, and continuations of the user's prompt. */
import { useApp, useSettled } from '../../state/use-app';
import { ownPrompt } from './own-prompt';
import { PromptForm } from './prompt-form';
import styles from './text-view.module.css';

const EVERY_MS = 200;

export function TextView() {
  const texts = useSettled((app) => app.texts, EVERY_MS);
  const prompt = useApp((app) => ownPrompt(app.info));
  return (
    <>
      <PromptForm />
      <h3>As it learns, from the same prompt and seed</h3>
      {texts.length === 0 && <p className={styles['written']}>Nothing yet.</p>}
      <ol className={styles['texts']} aria-label="Samples, newest first">
        {texts.toReversed().map(({ step, text }) => (
          <li key={step}>
            <span>step {step}</span>
            <p className={styles['written']}>
              {text.startsWith(prompt) ? (
                <>
                  <b>{prompt}</b>
                  {text.slice(prompt.length)}
                </>
              ) : (
                text
              )}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
