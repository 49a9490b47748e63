/**
 * The times at which each rank's sending port is busy, on the modelled clock, which show where an algorithm leaves
 * ranks idle. A click goes to the round.
 */
import { useMemo, useRef } from 'react';
import type { LabResult, LabTransfer } from '../../protocol/lab';
import { usePalette } from '../draw/canvas-context';
import { formatSize, formatTime } from '../draw/format';
import { useSize } from '../draw/use-surface';
import { rankHue } from './figure';
import styles from './lab.module.css';

interface PortsProps {
  readonly result: LabResult;
  readonly position: number;
  readonly go: (position: number) => void;
}

const LEFT = 64;
const AXIS = 16;

export function Ports({ result, position, go }: PortsProps) {
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host);
  const bars = useMemo(
    () => result.rounds.flatMap(({ transfers }, round) => transfers.map((transfer) => ({ transfer, round }))),
    [result],
  );
  const n = result.request.worldSize;
  const row = n > 8 ? 8 : 13;
  const total = result.modelledUs;
  if (bars.length === 0) return null;
  const left = width < 520 ? 30 : LEFT;
  const x = (us: number) => left + (us / total) * Math.max(1, width - left - 4);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <figure className={styles['ports']}>
      <figcaption>
        Who is sending, modelled: {formatTime(total)} from the start of the collective to the last arrival
      </figcaption>
      <div ref={host}>
        {width > 0 && (
          <svg width={width} height={n * row + AXIS} aria-hidden="true">
            {Array.from({ length: n }, (_, rank) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
              <Ground key={rank} rank={rank} row={row} left={left} width={width} />
            ))}
            {bars.map(({ transfer, round }) => (
              <Message
                key={`${round} ${transfer.from} ${transfer.to} ${transfer.target.buffer} ${transfer.target.offset}`}
                transfer={transfer}
                x={x}
                row={row}
                isNow={round + 1 === position}
                onClick={() => go(round + 1)}
              />
            ))}
            {ticks.map((tick) => (
              <text
                key={tick}
                x={x(tick * total)}
                y={n * row + 12}
                textAnchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}
              >
                {formatTime(tick * total)}
              </text>
            ))}
          </svg>
        )}
      </div>
      <p className={styles['note']}>
        Each bar is a message: the row is its sender, the colour its receiver, the length how long it keeps the sender’s
        port busy. The line behind the bar is the time in flight.
        {position > 0 ? ` The messages of round ${position} stand out.` : ''} {sentText(result.bytesSent)}
      </p>
    </figure>
  );
}

interface GroundProps {
  readonly rank: number;
  /** The row's height. */
  readonly row: number;
  /** The x position of time 0. */
  readonly left: number;
  readonly width: number;
}

/** The row of a rank's port: its name, its hue, and the background of its messages. */
function Ground({ rank, row, left, width }: GroundProps) {
  const palette = usePalette();
  const y = rank * row + 1;
  return (
    <g>
      <rect x={left} y={y} width={width - left - 4} height={row - 3} fill={palette.track} />
      {row > 8 && (
        <text x={9} y={rank * row + 9.5}>
          {left > 40 ? `rank ${rank}` : rank}
        </text>
      )}
      <rect x={0} y={y} width={3.5} height={row - 3} fill={rankHue(palette, rank)} />
    </g>
  );
}

interface MessageProps {
  readonly transfer: LabTransfer;
  readonly x: (us: number) => number;
  /** The height of a rank's row. */
  readonly row: number;
  /** Whether the message belongs to the shown round. */
  readonly isNow: boolean;
  readonly onClick: () => void;
}

/** A message: a bar while the port is busy, a line while the message is on its way. */
function Message({ transfer, x, row, isNow, onClick }: MessageProps) {
  const palette = usePalette();
  const y = transfer.from * row + 1;
  const fill = rankHue(palette, transfer.to);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the scrubber above does the same
    <g opacity={isNow ? 1 : 0.34} onClick={onClick}>
      <rect
        x={x(transfer.startUs)}
        y={y}
        width={Math.max(1, x(transfer.sentUs) - x(transfer.startUs) - 0.8)}
        height={row - 3}
        rx={1.5}
        fill={fill}
      />
      <rect
        x={x(transfer.sentUs)}
        y={y + (row - 3) / 2 - 0.8}
        width={Math.max(0, x(transfer.endUs) - x(transfer.sentUs) - 1)}
        height={1.6}
        fill={fill}
      />
    </g>
  );
}

const sentText = (bytesSent: readonly number[]): string =>
  bytesSent.every((bytes) => bytes === bytesSent[0])
    ? `Every rank sends ${formatSize(bytesSent[0] ?? 0)} in all.`
    : `Sent in all: ${bytesSent.map((bytes, rank) => `rank ${rank} ${formatSize(bytes)}`).join(', ')}.`;
