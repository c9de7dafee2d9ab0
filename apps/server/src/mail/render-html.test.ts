import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLOURS, renderHtml } from './render-html.ts';

/** The HTML part of emails. */

const TOKENS = readFileSync(new URL('../../../dashboard/src/style/tokens.css', import.meta.url), 'utf8');

test.each(Object.entries(COLOURS))(
  'emails have the colour %s of the dashboard in both themes',
  (name, [light, dark]) => {
    expect(TOKENS).toContain(`--${name}: light-dark(${light}, ${dark});`);
  },
);

test('a button in an email has the main colour, and is readable in dark mode', () => {
  const html = renderHtml('Subject', [{ kind: 'button', label: 'Open', link: 'https://dashboard.example/' }], 'en');
  expect(html).toContain(`color:${COLOURS['on-accent'][0]};background-color:${COLOURS.accent[0]}`);
  expect(html).toContain(`.button { color: ${COLOURS['on-accent'][1]} !important`);
});
