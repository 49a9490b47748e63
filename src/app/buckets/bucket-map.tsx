/**
 * A map of which parameter is in which bucket: before the rebuild in the constructor's order, after it in the order in
 * which backward makes the gradients.
 */
import { useMemo, useState } from 'react';
import type { BucketInfo, BucketsInfo } from '../../protocol/session-info';
import { formatSize } from '../draw/format';
import { useApp, useAppStore } from '../state/use-app';
import styles from './buckets.module.css';

const LINE = 15;
const GAP = 9;
const HEAD = 16;
const SIDE = 150;
const MIDDLE = 70;
const NAME = 21;

interface Placed {
  readonly parameter: string;
  readonly bucket: number;
  readonly y: number;
}

interface Column {
  readonly boxes: readonly {
    readonly bucket: number;
    readonly bytes: number;
    readonly y: number;
    readonly height: number;
  }[];
  readonly names: readonly Placed[];
  readonly height: number;
}

export function columnOf(buckets: readonly BucketInfo[]): Column {
  let y = HEAD;
  const names: Placed[] = [];
  const boxes = buckets.map(({ bytes, parameters }, bucket) => {
    const start = y;
    y += LINE;
    for (const parameter of parameters) {
      names.push({ parameter, bucket, y });
      y += LINE;
    }
    const box = { bucket, bytes, y: start, height: y - start + 3 };
    y += GAP;
    return box;
  });
  return { boxes, names, height: y };
}

/** Shortens a long name at its beginning, because its end is more specific. */
const short = (name: string) => (name.length > NAME ? `…${name.slice(1 - NAME)}` : name);

export function BucketMap({ info }: { info: BucketsInfo }) {
  const lit = useApp((app) => app.hoveredBucket);
  const [pointed, setPointed] = useState<string>();
  const before = useMemo(() => columnOf(info.initial), [info]);
  const after = useMemo(() => (info.rebuilt ? columnOf(info.rebuilt) : undefined), [info]);
  const height = Math.max(before.height, after?.height ?? 0);
  const order = new Map(info.readyOrder.map((parameter, place) => [parameter, place + 1]));
  const columns = [
    { column: before, x: 0, head: 'iteration 0' },
    ...(after ? [{ column: after, x: SIDE + MIDDLE, head: 'after the rebuild' }] : []),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles['map']} tabIndex={0} aria-label="Parameters to buckets">
      <h3>Parameters to buckets</h3>
      <svg width={2 * SIDE + MIDDLE} height={height} role="img" aria-label={mapText(info)}>
        {columns.map(({ column, x, head }) => (
          <ColumnPicture
            key={head}
            column={column}
            x={x}
            head={head}
            isRebuilt={x > 0}
            order={x > 0 || !after ? order : undefined}
            lit={lit}
            pointed={pointed}
            onPoint={setPointed}
          />
        ))}
        {after && <Links before={before} after={after} lit={lit} pointed={pointed} />}
      </svg>
      <p className={styles['note']}>
        The numbers give the order in which backward computes the gradients.
        {info.passesBeforeRebuild !== undefined &&
          ` DDP rebuilds its buckets after ${info.passesBeforeRebuild} synced pass${info.passesBeforeRebuild === 1 ? '' : 'es'}.`}
        {!info.rebuilt && ' With find_unused_parameters DDP does not rebuild its buckets.'}
      </p>
    </section>
  );
}

/** The hovered bucket (anywhere on the page) or parameter (in this map). */
interface PointedAt {
  readonly lit: number | undefined;
  readonly pointed: string | undefined;
}

interface ColumnPictureProps extends PointedAt {
  readonly column: Column;
  readonly x: number;
  readonly head: string;
  /** Whether these are the rebuilt buckets, which the page highlights; the constructor's buckets no longer exist. */
  readonly isRebuilt: boolean;
  /** The order in which backward makes the parameters' gradients; undefined if the other column shows it. */
  readonly order: ReadonlyMap<string, number> | undefined;
  readonly onPoint: (parameter: string | undefined) => void;
}

function ColumnPicture({ column, x, head, isRebuilt, order, lit, pointed, onPoint }: ColumnPictureProps) {
  const store = useAppStore();
  return (
    <g>
      <text x={x} y={10} className={styles['soft']}>
        {head}
      </text>
      {column.boxes.map(({ bucket, bytes, y, height }) => (
        <g
          key={bucket}
          onPointerEnter={() => isRebuilt && store.getState().hoverBucket(bucket)}
          onPointerLeave={() => store.getState().hoverBucket(undefined)}
        >
          <rect
            x={x + 0.5}
            y={y + 0.5}
            width={SIDE - 1}
            height={height}
            rx={5}
            className={styles['box']}
            data-lit={(isRebuilt && lit === bucket) || undefined}
          />
          <text x={x + 7} y={y + 12} className={styles['name']}>
            bucket {bucket}
          </text>
          <text x={x + SIDE - 7} y={y + 12} textAnchor="end" className={styles['soft']}>
            {formatSize(bytes)}
          </text>
        </g>
      ))}
      {column.names.map(({ parameter, y }) => (
        <g
          key={parameter}
          className={styles['parameter']}
          data-lit={pointed === parameter || undefined}
          onPointerEnter={() => onPoint(parameter)}
          onPointerLeave={() => onPoint(undefined)}
        >
          <rect x={x + 2} y={y} width={SIDE - 4} height={LINE} fill="transparent" />
          <text x={x + 7} y={y + 11}>
            {short(parameter)}
          </text>
          {order && (
            <text x={x + SIDE - 7} y={y + 11} textAnchor="end" className={styles['soft']}>
              {order.get(parameter) ?? 'unused'}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

interface LinksProps extends PointedAt {
  readonly before: Column;
  readonly after: Column;
}

/** Lines from each parameter's place before the rebuild to its place after it. */
const Links = ({ before, after, lit, pointed }: LinksProps) =>
  before.names.map(({ parameter, y }) => {
    const to = after.names.find((name) => name.parameter === parameter);
    if (!to) return null;
    const [y0, y1] = [y + 7, to.y + 7];
    return (
      <path
        key={parameter}
        d={`M${SIDE} ${y0} C${SIDE + MIDDLE / 2} ${y0} ${SIDE + MIDDLE / 2} ${y1} ${SIDE + MIDDLE} ${y1}`}
        className={styles['link']}
        data-lit={pointed === parameter || (lit !== undefined && lit === to.bucket) || undefined}
      />
    );
  });

function mapText({ initial, rebuilt }: BucketsInfo): string {
  const list = (buckets: readonly BucketInfo[]) =>
    buckets.map(({ parameters }, i) => `bucket ${i}: ${parameters.join(', ')}`).join('; ');
  return `Iteration 0: ${list(initial)}.${rebuilt ? ` After the rebuild: ${list(rebuilt)}.` : ''}`;
}
