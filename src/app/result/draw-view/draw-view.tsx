/**
 * A pad on which the user draws a figure that the model classifies meanwhile: the strokes, the picture that the model
 * gets, and its class probabilities. Only for images. The keyboard can draw, too; the drawing is cleared when the data
 * change.
 */
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { usePalette } from '../../draw/canvas-context';
import { formatPercent } from '../../draw/format';
import fields from '../../fields/fields.module.css';
import { useApp } from '../../state/use-app';
import { imageBitmap, paintBitmap } from '../cells/paint-image';
import { usePainting } from '../cells/use-painting';
import views from '../views/views.module.css';
import { ClassBars } from './class-bars';
import styles from './draw-view.module.css';
import { drawingInput } from './drawing-input';
import { imageLook } from './image-look';
import { useDrawing } from './use-drawing';
import { PAD_SIZE, usePad } from './use-pad';
import { usePrediction } from './use-prediction';

const SEEN_SIDE = 56;
const SEEN_SIZE = { width: SEEN_SIDE, height: SEEN_SIDE };

/** The hint for each type of data. */
const HINTS: Readonly<Record<string, string>> = { digits: 'Draw a digit', shapes: 'Draw an outline' };

export function DrawView() {
  const dataset = useApp((app) => app.info?.dataset);
  const type = useApp((app) => app.info?.config.data.type);
  const [channels = 1, height = 28, width = 28] = dataset?.inputShape ?? [];
  const look = useMemo(
    () => imageLook(dataset?.images ?? [], Math.min(height, width), type === 'shapes'),
    [dataset, height, width, type],
  );
  const { probabilities, problem, ask } = usePrediction();
  const [seen, setSeen] = useState<Float32Array<ArrayBuffer>>();
  const [resting, setResting] = useState(true);
  const hands = useDrawing((by) => {
    const drawing = hands.drawing();
    const input = drawing.length > 0 ? drawingInput(drawing, [channels, height, width], look) : undefined;
    setSeen(input);
    setResting(by === 'done');
    ask(input);
    repaint();
  });
  // The key of a drawing: it is kept if the mode changes, and dropped if the data change.
  const data = useApp((app) => JSON.stringify(app.info?.config.data));
  // biome-ignore lint/correctness/useExhaustiveDependencies: cleared when the data change
  useEffect(() => {
    hands.clear();
  }, [data, hands]);
  const { pad, focused, keyboard, repaint } = usePad(hands);
  const help = useId();
  const names = dataset?.classNames ?? [];
  return (
    <div className={styles['draw']}>
      <div>
        <div
          className={styles['pad']}
          role="application"
          aria-label="Drawing pad"
          aria-describedby={help}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is drawn on with the keyboard
          tabIndex={0}
          {...keyboard}
        >
          <canvas
            ref={pad}
            style={PAD_SIZE}
            onPointerDown={hands.onPointerDown}
            onPointerMove={hands.onPointerMove}
            onPointerUp={hands.onPointerUp}
            onPointerCancel={hands.onPointerUp}
          />
          {!seen && !focused && <span>{HINTS[type ?? ''] ?? 'Draw here'}</span>}
        </div>
        <div className={styles['below']}>
          <Seen input={seen} shape={[channels, height, width]} />
          <p>
            {height} × {width}, as the model reads it
          </p>
          <button type="button" className={fields['button']} disabled={!seen} onClick={hands.clear}>
            Clear
          </button>
        </div>
      </div>
      <ClassBars names={names} probabilities={seen && probabilities} />
      <p id={help} className={focused ? styles['help'] : 'visually-hidden'}>
        Keys: arrows move the pen, Space puts it down or lifts it, Delete clears.
      </p>
      {problem && seen && (
        <p role="alert" className={views['problem']}>
          {problem}
        </p>
      )}
      <p className="visually-hidden" aria-live="polite">
        {resting && seen && probabilities ? verdict(names, probabilities) : ''}
      </p>
    </div>
  );
}

function verdict(names: readonly string[], probabilities: Float32Array): string {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `Taken for ${names[best] ?? best}, ${formatPercent(probabilities[best])}`;
}

interface SeenProps {
  readonly input: Float32Array | undefined;
  readonly shape: readonly [channels: number, height: number, width: number];
}

function Seen({ input, shape: [channels, height, width] }: SeenProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      const image = imageBitmap([channels, height, width], (i) => input?.[i] ?? 0, palette);
      paintBitmap(context, image, SEEN_SIDE);
    },
    [input, channels, height, width, palette],
  );
  usePainting(canvas, SEEN_SIZE, paint);
  return <canvas ref={canvas} className={styles['seen']} style={SEEN_SIZE} />;
}
