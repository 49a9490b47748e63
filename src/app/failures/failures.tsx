/** The place of the failures panel in the set-up; the panel itself is loaded when the section is there. */
import { lazy, Suspense } from 'react';
import { Section } from '../fields/section';

const Panel = lazy(async () => ({ default: (await import('./failures-panel')).FailuresPanel }));

export function Failures() {
  return (
    <Section part="failures" title="Failures">
      <Suspense fallback={null}>
        <Panel />
      </Suspense>
    </Section>
  );
}
