/** The tables under the timeline, one at a time: steps, waits, collectives, the flight recorder, nccl-tests, files. */
import { type ReactNode, useState } from 'react';
import { Tabs } from '../fields/tabs';
import type { OpenRecordings } from './desk';
import styles from './recordings.module.css';
import { CollectivesPanel } from './tables/collectives-panel';
import { FilesPanel } from './tables/files-panel';
import { FlightPanel } from './tables/flight-panel';
import { NcclPanel } from './tables/nccl-panel';
import { StepsPanel } from './tables/steps-panel';
import { WaitsPanel } from './tables/waits-panel';
import { WhatIfPanel } from './tables/what-if-panel';

interface Tab {
  readonly name: string;
  readonly content: () => ReactNode;
}

function tabsOf({ imported, analysis, flight, model, whatIf }: OpenRecordings): readonly Tab[] {
  const { recording, flight: recorded, tables, sources } = imported;
  return [
    ...(analysis && recording
      ? [
          { name: 'Per step', content: () => <StepsPanel analysis={analysis} /> },
          { name: 'Who waits for whom', content: () => <WaitsPanel analysis={analysis} /> },
          {
            name: 'Collectives',
            content: () => <CollectivesPanel recording={recording} analysis={analysis} />,
          },
          ...(recording.clock === 'measured' ? [{ name: 'What if', content: () => <WhatIfPanel ask={whatIf} /> }] : []),
        ]
      : []),
    ...(flight && recorded
      ? [{ name: 'Flight recorder', content: () => <FlightPanel flight={flight} recorded={recorded} /> }]
      : []),
    ...(tables.length > 0
      ? [{ name: 'nccl-tests', content: () => <NcclPanel tables={tables} analysis={analysis} /> }]
      : []),
    ...(sources.length > 0
      ? [{ name: 'Files', content: () => <FilesPanel imported={imported} timeline={model !== undefined} /> }]
      : []),
  ];
}

export function Tables({ opened }: { readonly opened: OpenRecordings }) {
  const tabs = tabsOf(opened);
  const [chosen, setChosen] = useState(0);
  const index = Math.min(chosen, tabs.length - 1);
  const tab = tabs[index];
  if (!tab) return null;
  return (
    <section aria-label="In numbers">
      <Tabs
        label="Tables"
        names={tabs.map(({ name }) => name)}
        index={index}
        onIndex={setChosen}
        panelClass={styles['panel']}
      >
        {tab.content()}
      </Tabs>
    </section>
  );
}
