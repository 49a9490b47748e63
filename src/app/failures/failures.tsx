/** The place of the failures panel in the set-up; the panel itself is loaded when the section is there. */
import { loadedPanel } from '../boundary/loaded-panel';
import { Section } from '../fields/section';

const Panel = loadedPanel('The panel of failures', async () => (await import('./failures-panel')).FailuresPanel);

export function Failures() {
  return (
    <Section part="failures" title="Failures">
      <Panel />
    </Section>
  );
}
