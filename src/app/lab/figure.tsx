/**
 * The lab's figure: one row per rank, one tile per chunk with its values, the ranks whose values it contains, and the
 * messages of the last round. An SVG of one moment; only messages that have just been sent are animated, and not for
 * readers who prefer no motion. The table beside it (state-table.tsx) has the same content.
 */
import { useMemo, useRef } from 'react';
import { at } from '../../base/invariant';
import type { LabResult, LabTile } from '../../protocol/lab';
import { usePalette } from '../draw/canvas-context';
import { formatValue } from '../draw/canvas-numbers';
import { formatSize } from '../draw/format';
import type { Palette } from '../draw/theme';
import { useSize } from '../draw/use-surface';
import styles from './figure.module.css';
import { type FigureLayout, figureLayout, type TransferWay, waysOf } from './figure-layout';
import { contributorsIn } from './lab-sentence';

const LEAST_VALUE = 25;
const BAR = 5;

const ROLE_WORDS = { inPlace: 'buffer', input: 'input', output: 'output', scratch: 'scratch' } as const;

export const rankHue = (palette: Palette, rank: number): string => at(palette.ranks, rank % palette.ranks.length);

interface FigureProps {
  readonly result: LabResult;
  readonly position: number;
}

export function Figure({
  result,
  position,
  label = 'Buffers of the ranks',
}: FigureProps & { readonly label?: string }) {
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host);
  const palette = usePalette();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={host} className={styles['scroll']} tabIndex={0} aria-label={label}>
      {width > 0 && <Picture result={result} position={position} width={Math.max(280, width)} palette={palette} />}
    </section>
  );
}

interface PictureProps extends FigureProps {
  readonly width: number;
  readonly palette: Palette;
}

/** The figure without its controls, in a given width. */
export function Picture({ result, position, width, palette }: PictureProps) {
  const layout = useMemo(() => figureLayout(result, width), [result, width]);
  const round = result.rounds[position - 1];
  const state = round?.state ?? result.initial;
  const ways = round ? waysOf(layout, result, round.transfers) : [];
  const scale = useMemo(() => largest(result), [result]);
  const arrived = (column: FigureLayout['columns'][number], rank: number) => {
    const buffer = at(result.buffers, column.buffer);
    const chunk = at(buffer.chunks, column.chunk);
    return round?.transfers.find(
      (t) =>
        t.to === rank &&
        t.target.buffer === buffer.name &&
        chunk.offset >= t.target.offset &&
        chunk.offset < t.target.offset + t.target.length,
    );
  };
  return (
    <svg
      width={layout.width}
      height={layout.height}
      className={styles['figure']}
      role="img"
      aria-label={`Buffers of ${result.request.worldSize} ranks, position ${position} of ${result.rounds.length}; the table below says the same`}
    >
      {layout.groups.map(({ buffer, x }) => (
        <text key={buffer.name} x={x} y={11} className={styles['head']}>
          {ROLE_WORDS[buffer.role]}
          {buffer.role === 'scratch' ? ` ${buffer.name}` : ''}
          {buffer.chunks.length > 1 ? `, ${buffer.chunks.length} chunks` : ''}
        </text>
      ))}
      {layout.rows.map((y, rank) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
        <g key={rank}>
          <rect x={0} y={y} width={3.5} height={layout.tileHeight} fill={rankHue(palette, rank)} />
          <text x={9} y={y + 13} className={styles['rank']}>
            {layout.left > 40 ? `rank ${rank}` : rank}
          </text>
          {at(result.nodeOf, result.nodeOf.length - 1) > 0 && layout.left > 40 && layout.worded && (
            <text x={9} y={y + 27} className={styles['soft']}>
              node {result.nodeOf[rank]}
            </text>
          )}
          {layout.columns.map((column) => (
            <Tile
              key={`${column.buffer} ${column.chunk}`}
              tile={at(at(at(state, column.buffer), rank), column.chunk)}
              length={at(at(result.buffers, column.buffer).chunks, column.chunk).length}
              x={column.x}
              y={y}
              width={column.width}
              layout={layout}
              worldSize={result.request.worldSize}
              from={arrived(column, rank)?.from}
              scale={scale}
              palette={palette}
            />
          ))}
        </g>
      ))}
      <g key={position}>
        {ways.map((way) => (
          <Arrow
            key={`${way.transfer.from} ${way.transfer.to} ${way.transfer.target.offset}`}
            way={way}
            palette={palette}
          />
        ))}
      </g>
    </svg>
  );
}

/** The end of the colour scale: the largest value at the end of the collective. */
function largest(result: LabResult): number {
  const last = result.rounds.at(-1)?.state ?? result.initial;
  const values = [...last.flat(2), ...result.initial.flat(2)].flatMap(({ values: own }) => own.map(Math.abs));
  return Math.max(1, ...values.filter(Number.isFinite));
}

/** The ranks whose values are in a tile, in as many words as fit. */
function whose(contributors: number, worldSize: number, wide: boolean): string {
  const count = contributorsIn(contributors);
  const what = count === 1 ? `rank ${Math.log2(contributors)}` : `${count} of ${worldSize}`;
  return wide ? `values of ${what}` : what;
}

interface TileProps {
  readonly tile: LabTile;
  readonly length: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly layout: FigureLayout;
  readonly worldSize: number;
  /** The rank that has just sent to this tile. */
  readonly from: number | undefined;
  readonly scale: number;
  readonly palette: Palette;
}

function Tile({ tile, length, x, y, width, layout, worldSize, from, scale, palette }: TileProps) {
  const inner = layout.worded ? layout.tileHeight - BAR - 17 : layout.tileHeight - BAR - 3;
  if (tile.contributors === 0)
    return <rect x={x} y={y} width={width} height={inner + BAR + 1} rx={4} className={styles['empty']} />;
  const id = `t${x}-${y}`.replaceAll('.', '_');
  return (
    <g>
      <clipPath id={id}>
        <rect x={x} y={y} width={width} height={inner + BAR} rx={4} />
      </clipPath>
      <g clipPath={`url(#${id})`}>
        <rect x={x} y={y} width={width} height={inner + BAR} fill={palette.card} />
        <Values
          values={tile.values}
          length={length}
          x={x}
          y={y}
          width={width}
          height={inner}
          scale={scale}
          palette={palette}
        />
        {Array.from({ length: worldSize }, (_, rank) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its index
            key={rank}
            x={x + (rank * width) / worldSize}
            y={y + inner}
            width={Math.max(0.5, width / worldSize - 0.5)}
            height={BAR}
            fill={tile.contributors & (1 << rank) ? rankHue(palette, rank) : palette.track}
          />
        ))}
      </g>
      <rect
        x={x}
        y={y}
        width={width}
        height={inner + BAR}
        rx={4}
        fill="none"
        stroke={from === undefined ? palette.line : rankHue(palette, from)}
        strokeWidth={from === undefined ? 1 : 2}
      />
      {layout.worded && (
        <text
          x={x}
          y={y + layout.tileHeight - 1.5}
          className={styles['count']}
          data-whole={contributorsIn(tile.contributors) === worldSize || undefined}
        >
          {whose(tile.contributors, worldSize, width > 84)}
        </text>
      )}
    </g>
  );
}

interface ValuesProps extends Pick<TileProps, 'length' | 'x' | 'y' | 'width' | 'scale' | 'palette'> {
  /** The first values of the chunk. */
  readonly values: LabTile['values'];
  readonly height: number;
}

/** Cells for as many values as fit; three dots stand for the others. */
function Values({ values, length, x, y, width, height, scale, palette }: ValuesProps) {
  const fit = Math.max(1, Math.floor(width / LEAST_VALUE));
  const cut = length > fit;
  const cells = values.slice(0, Math.max(1, cut && fit > 1 ? fit - 1 : fit));
  const hasDots = length > cells.length && fit > 1;
  const w = (width - (hasDots ? 24 : 0)) / cells.length;
  return (
    <>
      {cells.map((value, k) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an element is its index
        <g key={k}>
          <rect
            x={x + k * w}
            y={y}
            width={w}
            height={height}
            fill={palette.diverging((0.75 * value) / scale)}
            stroke={palette.card}
            strokeWidth={cells.length > 1 ? 1 : 0}
          />
          {w >= LEAST_VALUE - 5 && (
            <text
              x={x + (k + 0.5) * w}
              y={y + height / 2 + 3.8}
              className={styles['value']}
              data-strong={Math.abs(value) / scale > 0.72 || undefined}
            >
              {formatValue(value)}
            </text>
          )}
        </g>
      ))}
      {hasDots && (
        <text x={x + width - 12} y={y + height / 2 + 3.5} className={styles['rest']}>
          …
        </text>
      )}
    </>
  );
}

function Arrow({ way, palette }: { way: TransferWay; palette: Palette }) {
  const colour = rankHue(palette, way.transfer.from);
  const id = `arrow${way.transfer.from}-${way.transfer.to}-${way.transfer.target.offset}`;
  return (
    <g>
      <marker
        id={id}
        viewBox="0 0 8 8"
        refX={7}
        refY={4}
        markerWidth={7}
        markerHeight={7}
        orient="auto"
        markerUnits="userSpaceOnUse"
      >
        <path d="M0 0 L8 4 L0 8 z" fill={colour} />
      </marker>
      <path d={way.path} className={styles['under']} />
      <path d={way.path} pathLength={1} className={styles['way']} stroke={colour} markerEnd={`url(#${id})`} />
      <circle r={4} className={styles['packet']} fill={colour} style={{ offsetPath: `path("${way.path}")` }} />
      {way.label && (
        <text
          x={way.label.x}
          y={way.label.y}
          className={styles['bytes']}
          {...(way.label.turned
            ? { transform: `rotate(-90 ${way.label.x} ${way.label.y})`, textAnchor: 'middle' as const }
            : {})}
        >
          {formatSize(way.transfer.bytes)}
        </text>
      )}
    </g>
  );
}
