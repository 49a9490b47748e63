import { expect, test } from 'vitest';
import { compactSvg } from './compact-svg';

const cell = (x: number, fill: string) => `<path d="M${x} 91L${x + 6} 91L${x + 6} 97L${x} 97Z" fill="${fill}"/>`;

test('cells of one colour are one path; what is between them stays where it is', () => {
  const svg = [
    '<svg>',
    cell(20, 'rgb(230, 181, 135)'),
    cell(27, 'rgb(10, 20, 30)'),
    cell(34, 'rgb(231, 180, 134)'),
    '<text>a</text>',
    cell(20, 'rgb(230, 181, 135)'),
    '<path d="M20 1L30 1L20 9Z" fill="#fff"/>',
    '</svg>',
  ].join('\n');
  expect(compactSvg(svg).split('\n')).toEqual([
    '<svg>',
    '<path fill="#e6b487" d="M20 91h6v6h-6zM34 91h6v6h-6z"/>',
    '<path fill="#0a141e" d="M27 91h6v6h-6z"/>',
    '<text>a</text>',
    '<path fill="#e6b487" d="M20 91h6v6h-6z"/>',
    '<path d="M20 1L30 1L20 9Z" fill="#fff"/>',
    '</svg>',
  ]);
});
