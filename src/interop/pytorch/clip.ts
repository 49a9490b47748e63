/**
 * The lines between backward and step that clip gradients: by norm, then by value, in the order of the run. Called
 * where the listing has its loop.
 */
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

type Clipping = Pick<Config, 'clipGradNorm' | 'clipGradNormType' | 'clipGradValue'>;

/** `parameters`: a Python expression. */
export function clipLines(
  { clipGradNorm, clipGradNormType, clipGradValue }: Partial<Clipping>,
  parameters = 'model.parameters()',
): readonly CodeLine[] {
  const lines: CodeLine[] = [];
  if (clipGradNorm !== undefined) {
    const p = clipGradNormType ?? 2;
    const type = p === 2 ? '' : `, norm_type=${p === 'inf' ? "'inf'" : p}`;
    lines.push({ text: `nn.utils.clip_grad_norm_(${parameters}, ${clipGradNorm}${type})`, anchor: 'clip' });
  }
  if (clipGradValue !== undefined)
    lines.push({ text: `nn.utils.clip_grad_value_(${parameters}, ${clipGradValue})`, anchor: 'clip_value' });
  return lines;
}
