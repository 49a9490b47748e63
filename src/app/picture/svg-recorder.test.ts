/** Painters' calls as SVG elements: closed arcs, corners, nested clips, rotated text, numbers that are not finite. */
import { expect, test } from 'vitest';
import { SvgDocument } from './svg-document';
import { SvgRecorder } from './svg-recorder';
import { fontOf, wrapped } from './svg-text';

const recorded = (draw: (context: CanvasRenderingContext2D) => void): string => {
  const svg = new SvgDocument();
  draw(new SvgRecorder((text) => text.length, svg).context);
  return svg.toSvg({ width: 10, height: 10, title: 'A test' });
};

test('a whole circle is two arcs, a corner is one', () => {
  const svg = recorded((c) => {
    c.beginPath();
    c.arc(5, 5, 2, 0, 2 * Math.PI);
    c.fill();
    c.beginPath();
    c.roundRect(0, 0, 10, 6, 2);
    c.stroke();
  });
  expect(svg).toContain('d="M7 5A2 2 0 0 1 3 5A2 2 0 0 1 7 5"');
  expect(svg).toContain('d="M2 0L8 0A2 2 0 0 1 10 2L10 4A2 2 0 0 1 8 6L2 6A2 2 0 0 1 0 4L0 2A2 2 0 0 1 2 0Z"');
});

test('a clip inside a clip is in one group, and ends with it', () => {
  const svg = recorded((c) => {
    c.save();
    for (const side of [8, 4]) {
      c.beginPath();
      c.rect(0, 0, side, side);
      c.clip();
    }
    c.fillRect(0, 0, 9, 9);
    c.fillRect(1, 1, 1, 1);
    c.restore();
    c.fillRect(2, 2, 2, 2);
  });
  expect(svg).toContain('<clipPath id="d2" clip-path="url(#d1)">');
  expect(svg.match(/<g /g)).toHaveLength(1);
  expect(svg.indexOf('</g>')).toBeLessThan(svg.indexOf('M2 2L4 2'));
});

test('translated, rotated, translucent; not drawn if a number is NaN', () => {
  const svg = recorded((c) => {
    c.save();
    c.translate(3, 4);
    c.globalAlpha *= 0.5;
    c.font = '600 12px "IBM Plex Mono", monospace';
    c.textAlign = 'right';
    c.fillText('a < b', 1, 1);
    c.rotate(Math.PI / 2);
    c.fillText('turned', 0, 0);
    c.restore();
    c.fillRect(Number.NaN, 0, 1, 1);
    c.fillText('nowhere', Number.NaN, 0);
    c.strokeRect(1, 1, 2, 2);
  });
  expect(svg).toContain('font-family="monospace" font-size="12" font-weight="600" text-anchor="end"');
  expect(svg).toContain('>a &lt; b</text>');
  expect(svg).toContain('opacity="0.5"');
  expect(svg).toContain('transform="matrix(0 1 -1 0 3 4)"');
  expect(svg).not.toMatch(/NaN|nowhere/);
  expect(svg).toContain('stroke-width="1"');
});

test.each([
  ['400 11px "IBM Plex Sans", system-ui, sans-serif', 'sans-serif', 400],
  ['bold 13px Georgia, serif', 'serif', 700],
  ['600 12px ui-monospace, monospace', 'monospace', 600],
  ['12px sans-serif', 'sans-serif', 400],
] as const)('%s is %s', (font, family, weight) => {
  expect(fontOf(font)).toMatchObject({ family, weight });
});

test('lines are wrapped at spaces, and words that are too long are split', () => {
  const width = (text: string) => text.length;
  expect(wrapped('one two three', 7, width)).toEqual(['one two', 'three']);
  expect(wrapped('https://example.org/x y', 8, width)).toEqual(['https://', 'example.', 'org/x y']);
});
