/** What a language model writes: by itself at a few steps as it learns, and on from a prompt of the user's. */
import { useSettled } from '../../use-app';
import { PromptForm } from './prompt-form';
import styles from './text-view.module.css';

const EVERY_MS = 200;

export function TextView() {
  const texts = useSettled((app) => app.texts, EVERY_MS);
  return (
    <>
      <PromptForm />
      <h3>Written by itself, from a fixed prompt and seed</h3>
      {texts.length === 0 && <p className={styles['written']}>Nothing yet.</p>}
      <ol className={styles['texts']} aria-label="Samples, newest first">
        {texts.toReversed().map(({ step, text }) => (
          <li key={step}>
            <span>step {step}</span>
            <p className={styles['written']}>{text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
