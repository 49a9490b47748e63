/** The machine that the modelled clock assumes, and the memory that each device has. */
import { Section } from '../fields/section';
import { ChoiceSetting, NumberSetting } from '../fields/settings';
import { useApp } from '../state/use-app';
import styles from './data-panel.module.css';

const HARDWARE = { nvlink8: '8 GPUs, NVLink', pcie4: '4 GPUs, PCIe', ethernet10g: '10 Gbit Ethernet' } as const;

export function HardwarePanel() {
  const label = useApp((app) => app.info?.hardwareLabel);
  return (
    <Section part="hardware" title="Modelled hardware">
      <ChoiceSetting label="Machine" path="hardware" words={HARDWARE} />
      <NumberSetting
        label="Memory, MiB"
        path="memoryBudgetMb"
        title="Memory of each device; a run that needs more is refused"
      />
      {label && <p className={styles['hint']}>{label}</p>}
    </Section>
  );
}
