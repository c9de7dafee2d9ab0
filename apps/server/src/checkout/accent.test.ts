import { expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { contrast, onAccent } from './accent.ts';

const LEAST = 4.5;

test.each([
  ['#000000', '#ffffff'],
  ['#ffffff', '#000000'],
  ['#ffee00', '#000000'],
  ['#1a56db', '#ffffff'],
])('on the colour %s text is %s', (accent, text) => {
  expect(onAccent(accent)).toBe(text);
});

test('black and white are 21:1', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 6);
});

test('text on any colour reaches the contrast that WCAG asks for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
      const accent = `#${number.toString(16).padStart(6, '0')}`;
      expect(contrast(accent, onAccent(accent))).toBeGreaterThanOrEqual(LEAST);
    }),
  );
});
