/**
 * A form for a prompt and the settings of its continuation: length, temperature, seed. Below the form are the prompt
 * with the model's continuation, or the session's refusal.
 */
import { type FormEvent, useId, useState } from 'react';
import { LockstepError } from '../../../base/errors';
import fields from '../../fields/fields.module.css';
import { ScrollRegion } from '../../fields/scroll-region';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import views from '../views/views.module.css';
import { ownPrompt } from './own-prompt';
import styles from './text-view.module.css';

interface Settings {
  readonly length: string;
  readonly temperature: string;
  readonly seed: string;
}
const START: Settings = { length: '120', temperature: '0.8', seed: '0' };
const FIELDS = [
  { name: 'length', label: 'Length', hint: 'Tokens to write' },
  {
    name: 'temperature',
    label: 'Temperature',
    hint: '0 always takes the likeliest token; 1 follows the model’s probabilities; above 1, unlikely tokens become more likely',
  },
  { name: 'seed', label: 'Seed', hint: 'Seed of the random draws; the same seed writes the same text' },
] as const;

type Answer =
  | { readonly kind: 'text'; readonly prompt: string; readonly text: string; readonly step: number | undefined }
  | { readonly kind: 'problem'; readonly text: string };

function problemOf(error: unknown): string {
  if (error instanceof LockstepError) return `${error.message} ${error.hint}`.trim();
  return error instanceof Error ? error.message : String(error);
}

export function PromptForm() {
  const { ask } = useController();
  const start = useApp((app) => ownPrompt(app.info));
  const step = useApp((app) => app.snapshot?.step);
  const loading = useApp((app) => app.state === 'loading' || app.state === 'failed');
  const [prompt, setPrompt] = useState<string>();
  const [settings, setSettings] = useState(START);
  const [answer, setAnswer] = useState<Answer>();
  const [busy, setBusy] = useState(false);
  const id = useId();
  const given = prompt ?? start;
  const write = async () => {
    setBusy(true);
    try {
      const text = await ask((run) =>
        run.generate(given, Number(settings.length), Number(settings.temperature), Number(settings.seed)),
      );
      setAnswer({ kind: 'text', prompt: given, text, step });
    } catch (error) {
      setAnswer({ kind: 'problem', text: problemOf(error) });
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) void write();
  };
  return (
    <form className={styles['form']} onSubmit={onSubmit}>
      <label htmlFor={`${id}-prompt`}>Prompt</label>
      <textarea
        id={`${id}-prompt`}
        rows={2}
        spellCheck={false}
        value={given}
        onChange={(event) => setPrompt(event.target.value)}
      />
      <div className={styles['settings']}>
        {FIELDS.map(({ name, label, hint }) => (
          <label key={name} title={hint}>
            {label}
            <input
              inputMode="decimal"
              value={settings[name]}
              onChange={(event) => setSettings({ ...settings, [name]: event.target.value })}
            />
          </label>
        ))}
        <button type="submit" className={fields['button']} disabled={loading || busy}>
          Write
        </button>
      </div>
      <div aria-live="polite">
        {answer?.kind === 'problem' && <p className={views['problem']}>{answer.text}</p>}
        {answer?.kind === 'text' && (
          <ScrollRegion label="What the model wrote" className={styles['answer']}>
            <output aria-label="Written text" className={styles['written']}>
              <b>{answer.prompt}</b>
              {answer.text}
            </output>
            {answer.step !== undefined && <small>at step {answer.step}</small>}
          </ScrollRegion>
        )}
      </div>
    </form>
  );
}
