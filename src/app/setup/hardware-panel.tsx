/** The machine that the modelled clock assumes, and the memory of each device. */
import { RUN } from '../../protocol/words/run';
import { Section } from '../fields/section';
import { ChoiceSetting, NumberSetting } from '../fields/settings';
import { useApp } from '../state/use-app';
import { Term } from '../terms/term';
import styles from './data-panel.module.css';

const HARDWARE = {
  nvlink8: '8 GPUs, NVLink',
  pcie4: '4 GPUs, PCIe',
  ethernet10g: '10 Gbit Ethernet',
  transputer: 'Transputers',
} as const;

export function HardwarePanel() {
  const hardware = useApp((app) => app.config.hardware);
  const label = useApp((app) => app.info?.hardwareLabel);
  return (
    <Section part="hardware" title="Modelled hardware">
      <ChoiceSetting {...RUN.hardware} words={HARDWARE} />
      <NumberSetting {...RUN.memoryBudgetMb} />
      {label && <p className={styles['hint']}>{label}</p>}
      {hardware === 'transputer' && (
        <p className={styles['hint']}>
          Slow on purpose: a <Term id="transputer">transputer</Term> is busy with a net of a few hundred weights, as a
          GPU is with a large net.
        </p>
      )}
    </Section>
  );
}
