/**
 * The failures panel: the user kills or hangs a rank, slows a rank or a link down, and sees the costs for the others;
 * also the limits of the process group and its flight recorder. Notices report the consequences. Loaded with the first
 * render of the set-up.
 */

import { useEffect, useId, useMemo, useState } from 'react';
import { FACES } from '../../parallel/faces';
import type { Clock, StepTrace } from '../../protocol/trace';
import { RUN } from '../../protocol/words/run';
import { totalUs } from '../../trace/lanes';
import { waitingUs } from '../../trace/waiting';
import { formatPercent, formatTime } from '../draw/format';
import { withSetting } from '../edit/edit-config';
import fields from '../fields/fields.module.css';
import { NumberSetting } from '../fields/settings';
import { saveFile } from '../files/save-file';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import styles from './failures.module.css';
import { factorOf, type Stragglers, slowLink, withFactor, withLink } from './stragglers';
import { whatFails } from './what-fails';

const FACTORS = [1, 2, 5, 20, 100] as const;
const factorWords = (factor: number): string => `${factor} ×`;

export function FailuresPanel() {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const ready = useApp((app) => app.info !== undefined && app.state !== 'loading' && app.state !== 'failed');
  const controller = useController();
  const [said, setSaid] = useState('');
  // A run that starts again, as after Reset, has no fault to come.
  useEffect(() => {
    if (!ready) setSaid('');
  }, [ready]);
  const { stragglers } = config;
  const devices = info?.worldSize ?? 1;
  const isGroup = (info?.ranks ?? 1) > 1 || FACES[config.mode].processPerDevice === true;
  const { names, alone, about } = whatFails(config.mode, info ?? { worldSize: 1, processes: 1, roles: [] });
  const name = (device: number): string => names[device] ?? `cuda:${device}`;
  const put = (next: Stragglers) => {
    const edit = withSetting(config, ['stragglers'], next);
    if (edit.ok) controller.apply(edit.config);
    else setSaid(edit.problem);
  };
  const attempt = (done: string, task: () => Promise<void>) => {
    task().then(
      () => setSaid(done),
      (error: unknown) => setSaid(error instanceof Error ? error.message : String(error)),
    );
  };
  const subject = (rank: number): string => {
    const own = alone ? name(rank) : 'the process';
    return `${own.slice(0, 1).toUpperCase()}${own.slice(1)}`;
  };
  const kill = (rank: number) =>
    attempt(`${subject(rank)} was killed.`, () => controller.ask((run) => run.killRank(rank)));
  const hang = (rank: number) =>
    attempt(
      alone
        ? `${subject(rank)} hangs in the next step; after ${config.timeoutS} s the others report it.`
        : `${subject(rank)} hangs in the next step. PyTorch would wait for ever; Lockstep ends the process after ${config.timeoutS} s.`,
      () => controller.ask((run) => run.hangRank(rank)),
    );

  return (
    <>
      <ul className={styles['ranks']} aria-label={isGroup ? 'Ranks' : alone ? 'Processes' : 'Devices'}>
        {Array.from({ length: devices }, (_, device) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a device is its index
          <li key={device}>
            <span>{name(device)}</span>
            <Factor
              label={`Slow ${name(device)} down by this factor`}
              value={factorOf(stragglers, device)}
              onChange={(factor) => put(withFactor(stragglers, device, factor))}
            />
            {alone && (
              <>
                <RankButton verb="Kill" name={name(device)} disabled={!ready} go={() => kill(device)} />
                <RankButton verb="Hang" name={name(device)} disabled={!ready} go={() => hang(device)} />
              </>
            )}
          </li>
        ))}
      </ul>
      {about !== '' && <p className={styles['costs']}>{about}</p>}
      {!alone && (
        <div className={styles['link']}>
          <span>process</span>
          <RankButton verb="Kill" name="the process" disabled={!ready} go={() => kill(0)} />
          {devices > 1 && <RankButton verb="Hang" name="the process" disabled={!ready} go={() => hang(0)} />}
        </div>
      )}
      {devices > 1 && <SlowLink devices={devices} stragglers={stragglers} put={put} />}
      <Costs name={name} devices={devices} />
      {(isGroup || devices > 1) && <NumberSetting {...RUN.timeoutS} />}
      <NumberSetting {...RUN.maxRestarts} />
      {isGroup && (
        <button
          type="button"
          className={fields['button']}
          disabled={!info}
          title="The last collectives of every rank and their state, in PyTorch's field names"
          onClick={() =>
            attempt('The flight recorder was saved.', async () =>
              download(await controller.ask((run) => run.flightRecorder())),
            )
          }
        >
          Flight recorder
        </button>
      )}
      <p role="status" className={styles['said']}>
        {said}
      </p>
    </>
  );
}

interface RankButtonProps {
  readonly verb: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly go: () => void;
}

const RankButton = ({ verb, name, disabled, go }: RankButtonProps) => (
  <button type="button" className={fields['button']} disabled={disabled} aria-label={`${verb} ${name}`} onClick={go}>
    {verb}
  </button>
);

interface FactorProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (factor: number) => void;
}

function Factor({ label, value, onChange }: FactorProps) {
  const options = FACTORS.some((factor) => factor === value) ? FACTORS : [...FACTORS, value].sort((a, b) => a - b);
  return (
    <select
      className={fields['select']}
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {options.map((factor) => (
        <option key={factor} value={factor}>
          {factorWords(factor)}
        </option>
      ))}
    </select>
  );
}

interface SlowLinkProps {
  readonly devices: number;
  readonly stragglers: Stragglers;
  readonly put: (next: Stragglers) => void;
}

/** The panel shows one slow link; a permalink may have more. */
function SlowLink({ devices, stragglers, put }: SlowLinkProps) {
  const slow = slowLink(stragglers);
  const [picked, setPicked] = useState('0 1');
  const id = useId();
  const shown = slow ? `${slow.from} ${slow.to}` : picked;
  const links = Array.from({ length: devices * devices }, (_, i) => [Math.floor(i / devices), i % devices] as const);
  const choose = (link: string, factor: number) => {
    const [from = 0, to = 1] = link.split(' ').map(Number);
    setPicked(link);
    put(withLink(stragglers, { from, to, factor }));
  };
  return (
    <div className={styles['link']}>
      <label htmlFor={id}>Link</label>
      <select
        id={id}
        className={fields['select']}
        value={shown}
        onChange={(event) => (slow ? choose(event.target.value, slow.factor) : setPicked(event.target.value))}
      >
        {links.flatMap(([from, to]) =>
          from === to
            ? []
            : [
                <option key={`${from} ${to}`} value={`${from} ${to}`}>
                  {from} → {to}
                </option>,
              ],
        )}
      </select>
      <Factor
        label="Slow this link down by this factor"
        value={slow?.factor ?? 1}
        onChange={(factor) => choose(shown, factor)}
      />
    </div>
  );
}

/** Which ranks wait for which in the shown step, longest waits first. */
function Costs({ name, devices }: { readonly name: (device: number) => string; readonly devices: number }) {
  const [trace, clock] = useSettled(
    (app): readonly [StepTrace | undefined, Clock] => [app.traces.at(-1), app.clock],
    500,
  );
  const worst = useMemo(() => {
    const lost = trace && waitingUs(trace, clock, [...Array(devices).keys()]);
    return lost && [...lost].sort((a, b) => b[1] - a[1])[0];
  }, [trace, clock, devices]);
  const total = trace ? totalUs(trace, clock) : 0;
  if (!worst || total === 0) return null;
  const [late, us] = worst;
  const share = us / (total * (devices - 1));
  return (
    <p className={styles['costs']}>
      The others wait {formatTime(us / (devices - 1))} of a step for {name(late)}, {formatPercent(share)} of its time (
      {clock}).
    </p>
  );
}

function download(dumps: readonly { readonly rank: number }[]): void {
  saveFile('flight-recorder.json', new Blob([JSON.stringify(dumps, undefined, 1)], { type: 'application/json' }));
}
