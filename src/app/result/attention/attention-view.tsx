/**
 * The attention weights for one row of data: every head small, layer by layer, and the chosen head large with the
 * tokens on both sides. Each row of a map is a query position; its cells are the weights of the key positions and add
 * up to 1.
 */
import { useCallback, useMemo, useRef, useState } from 'react';
import { usePalette } from '../../draw/canvas-context';
import { formatPercent } from '../../draw/format';
import { useSize } from '../../draw/use-surface';
import { CommitField } from '../../fields/commit-field';
import type { SavedFigure } from '../../picture/figure-picture';
import { SavePicture } from '../../picture/save-button';
import { useApp } from '../../state/use-app';
import { type CanvasCell, CellCanvas } from '../cells/cell-canvas';
import { paintShares } from '../cells/paint-shares';
import { usePainting } from '../cells/use-painting';
import views from '../views/views.module.css';
import { attentionCellAt, attentionLayout } from './attention-layout';
import { AttentionTable } from './attention-table';
import styles from './attention-view.module.css';
import { type HeadMap, headMaps, paintHead, shownToken } from './head-map';
import { useAttention } from './use-attention';

const WIDEST = 520;
const SMALL = 40;
const SMALL_SIZE = { width: SMALL, height: SMALL };

export function AttentionView() {
  const [row, setRow] = useState(0);
  const [chosen, choose] = useState(0);
  const rows = useApp((app) => app.info?.dataset.rows ?? 1);
  const { attention, problem } = useAttention(Math.min(row, rows - 1));
  const heads = useMemo(() => headMaps(attention?.maps ?? []), [attention]);
  const host = useRef<HTMLDivElement>(null);
  const width = Math.min(WIDEST, useSize(host).width);
  const map = heads[chosen] ?? heads[0];
  const commit = (text: string): string | undefined => {
    const next = Number(text);
    if (!Number.isInteger(next) || next < 0 || next >= rows) return `A row from 0 to ${rows - 1}.`;
    setRow(next);
    return undefined;
  };
  return (
    <div ref={host}>
      <CommitField label="Row of data" text={String(Math.min(row, rows - 1))} commit={commit} />
      {problem && (
        <p role="alert" className={views['problem']}>
          {problem}
        </p>
      )}
      {map && width > 0 && <LargeHead map={map} tokens={attention?.tokens ?? []} width={width} />}
      {modulesOf(heads).map((module) => (
        <section key={module} className={styles['layer']}>
          <h3>{module}</h3>
          <div>
            {heads.map((head, index) =>
              head.module === module ? (
                <button
                  key={head.head}
                  type="button"
                  aria-label={`${module}, head ${head.head}`}
                  aria-pressed={head === map}
                  onClick={() => choose(index)}
                >
                  <SmallHead map={head} />
                </button>
              ) : null,
            )}
          </div>
        </section>
      ))}
    </div>
  );
}

const modulesOf = (heads: readonly HeadMap[]): readonly string[] => [...new Set(heads.map(({ module }) => module))];

function SmallHead({ map }: { map: HeadMap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => paintShares(context, map, { x: 0, y: 0, ...SMALL_SIZE }, palette),
    [map, palette],
  );
  usePainting(canvas, SMALL_SIZE, paint);
  return <canvas ref={canvas} style={SMALL_SIZE} />;
}

interface LargeHeadProps {
  readonly map: HeadMap;
  readonly tokens: readonly string[];
  readonly width: number;
}

function LargeHead({ map, tokens, width }: LargeHeadProps) {
  const palette = usePalette();
  const [cell, setCell] = useState<CanvasCell>();
  const longest = tokens.reduce((most, token) => Math.max(most, token.length), 1);
  const layout = useMemo(
    () => attentionLayout(width, map.rows, map.columns, longest),
    [width, map.rows, map.columns, longest],
  );
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => paintHead(context, { map, layout, tokens, cell, palette }),
    [map, layout, tokens, cell, palette],
  );
  const figure: SavedFigure = {
    picture: async () => ({
      width: layout.width,
      height: layout.height,
      paint: ({ context, palette: ink }) => paintHead(context, { map, layout, tokens, cell: undefined, palette: ink }),
      caption: (run) =>
        `${run}: where each position looks, ${map.module}, head ${map.head}; each row adds up to 100 %.`,
    }),
  };
  const named = (index: number) => {
    const token = tokens[index];
    return token === undefined ? `position ${index}` : `‘${shownToken(token)}’ at ${index}`;
  };
  const speak = ({ row, column }: CanvasCell) =>
    `${named(row)} looks at ${named(column)}: ${formatPercent(map.share(row, column))}`;
  return (
    <>
      <p className={views['readout']}>{cell ? speak(cell) : `${map.module}, head ${map.head}`}</p>
      <CellCanvas
        label={`Attention of ${map.module}, head ${map.head}`}
        size={layout}
        rows={map.rows}
        columns={map.columns}
        paint={paint}
        cellAt={(point) => attentionCellAt(layout, map.rows, map.columns, point)}
        cell={cell}
        onCell={setCell}
        speak={speak}
      />
      <SavePicture name="attention" what="this head’s attention" figure={figure} />
      <AttentionTable map={map} named={named} />
    </>
  );
}
