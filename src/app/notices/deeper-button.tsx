/**
 * The button in the notice that a model has too few layers for its stages: opens the refused run with a deeper model.
 * Renders nothing for other refusals. Fetched with the first such refusal.
 */
import { useMemo } from 'react';
import type { Config } from '../../protocol/config';
import { deepened } from '../edit/deepen';
import fields from '../fields/fields.module.css';
import { knownRow } from '../model/known-row';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';

interface DeeperButtonProps {
  readonly refused: Config;
  readonly onGo: () => void;
}

export function DeeperButton({ refused, onGo }: DeeperButtonProps) {
  const controller = useController();
  const info = useApp((app) => app.info);
  const deeper = useMemo(() => deepened(refused, knownRow(refused, info)), [refused, info]);
  if (!deeper) return null;
  const go = () => {
    onGo();
    controller.apply(deeper);
  };
  return (
    <button type="button" className={fields['button']} onClick={go}>
      Make it deeper: {deeper.model.layers.length} layers
    </button>
  );
}
