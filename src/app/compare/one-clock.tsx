/**
 * The step of both runs on one time axis: for each device its computation, and below that its communication, hidden or
 * exposed. A slider moves over the axis.
 */
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { formatTime } from '../draw/format';
import { phaseColour } from '../draw/phase-colour';
import type { App } from '../state/app-state';
import type { AppStore } from '../state/store';
import { useApp, useAppStore } from '../state/use-app';
import { lanePartsOf } from '../timeline/lane-parts';
import styles from './compare.module.css';
import { endOf, type Track } from './duo-clock';
import type { DuoState } from './duo-state';
import type { RunComparison } from './use-comparison';

/** The number of the slider's positions. */
const PLACES = 1000;

export function OneClock({ comparison }: { comparison: RunComparison }) {
  const { duo, services } = comparison;
  const first = useAppStore();
  const tracks = useStore(duo.state, (state) => state.tracks);
  const end = endOf(tracks);
  const place = useStore(duo.state, placeOf);
  const said = `${formatTime((place / PLACES) * end)} of ${formatTime(end)}`;
  return (
    <section aria-label="Both steps on one clock" className={styles['clock']}>
      <Row letter="A" store={first} track={tracks[0]} end={end} now={place / PLACES} />
      <div className={styles['axis']}>
        <input
          type="range"
          aria-label="Time in the step"
          aria-valuetext={said}
          min={0}
          max={PLACES}
          value={place}
          disabled={tracks.length === 0}
          onChange={(event) => duo.seek((Number(event.target.value) / PLACES) * end)}
        />
        <span>{formatTime((place / PLACES) * end)}</span>
      </div>
      <Row letter="B" store={services.store} track={tracks[1]} end={end} now={place / PLACES} />
    </section>
  );
}

const placeOf = ({ tracks, timeUs }: DuoState): number => Math.round((PLACES * timeUs) / Math.max(1e-9, endOf(tracks)));

interface Bar {
  readonly key: string;
  readonly fromUs: number;
  readonly toUs: number;
  readonly colour: string;
  readonly lane: number;
}

/** The bars of all devices: computation and communication. */
function barsOf(track: Track, clock: App['clock'], devices: number): readonly Bar[] {
  let before = 0;
  return track.traces.flatMap((trace) => {
    const parts = lanePartsOf(trace, clock, devices);
    const from = before;
    before += parts.totalUs;
    const bar = (span: { startUs: number; endUs: number }, lane: number, colour: string): Bar => ({
      key: `${lane} ${from + span.startUs} ${colour}`,
      fromUs: from + span.startUs,
      toUs: from + span.endUs,
      colour,
      lane,
    });
    return parts.devices.flatMap(({ device, compute, comm }) => [
      ...compute.map((run) => bar(run, 2 * device, `var(--phase-${phaseColour(run.of.phase, true)})`)),
      ...comm.flatMap(({ hidden, exposed }) => [
        ...exposed.map((span) => bar(span, 2 * device + 1, 'var(--phase-comm)')),
        ...hidden.map((span) => bar(span, 2 * device + 1, 'url(#hidden-communication)')),
      ]),
    ]);
  });
}

interface RowProps {
  readonly letter: 'A' | 'B';
  readonly store: AppStore;
  readonly track: Track | undefined;
  readonly end: number;
  /** The cursor on the axis, 0..1. */
  readonly now: number;
}

const WIDTH = 1000;

function Row({ letter, store, track, end, now }: RowProps) {
  const info = useStore(store, (app) => app.info);
  const clock = useApp((app) => app.clock);
  const devices = info?.worldSize ?? 1;
  const bars = useMemo(() => (track ? barsOf(track, clock, devices) : []), [track, clock, devices]);
  const x = (us: number) => (WIDTH * us) / Math.max(1e-9, end);
  const share = track && end > 0 ? track.totalUs / end : 0;
  return (
    <div className={styles['row']}>
      <b data-run={letter}>{letter}</b>
      <div className={styles['lanes']}>
        <svg viewBox={`0 0 ${WIDTH} ${2 * devices}`} preserveAspectRatio="none" aria-hidden="true">
          <defs>
            <pattern id="hidden-communication" width={6} height={2} patternUnits="userSpaceOnUse">
              <rect width={6} height={2} fill="var(--phase-backward)" />
              <rect width={2} height={2} fill="var(--phase-comm-edge)" />
            </pattern>
          </defs>
          {bars.map(({ key, fromUs, toUs, colour, lane }) => (
            <rect
              key={key}
              x={x(fromUs)}
              width={Math.max(0.5, x(toUs - fromUs))}
              y={lane + (lane % 2 === 0 ? 0.1 : 0)}
              height={0.9}
              fill={colour}
            />
          ))}
        </svg>
        {track && <i className={styles['now']} style={{ left: `${100 * now}%` }} />}
        {track && (
          <span className={styles['end']} style={{ left: `${100 * share}%` }} data-late={share > 0.8 || undefined}>
            {formatTime(track.totalUs)}
          </span>
        )}
      </div>
    </div>
  );
}
