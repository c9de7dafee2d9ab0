import { expect, test } from 'vitest';
import { clientSurroundings } from '../lib/client-address.ts';
import { createPageTurns } from './page-turns.ts';

const WAITING = 50;

function openTurns() {
  const takeTurn = createPageTurns(WAITING);
  const made: string[] = [];
  const refused: string[] = [];
  const visit = async (address: string, invoice: string) =>
    void ((await takeTurn(clientSurroundings(address), invoice)) ? made : refused).push(address);
  return { visit, made, refused };
}

const PAYER = '203.0.113.9';
const times = (length: number, visit: (place: number) => Promise<void>) =>
  Array.from({ length }, (_, place) => visit(place));

test('a visitor of an invoice is shown it before the rest of a flood from one site, and is not refused by it', async () => {
  const { visit, made, refused } = openTurns();
  const flood = times(200, (place) => visit(`198.51.100.${place}`, `TID-${place}`));
  await visit(PAYER, 'TID-OF-PAYER');
  expect(made.indexOf(PAYER)).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  expect(refused).toHaveLength(200 - WAITING);
});

test('a visitor comes before a flood from more sites than can wait, which asks for other invoices', async () => {
  const { visit, made, refused } = openTurns();
  const flood = times(200, (place) => visit(`198.51.${place}.1`, `TID-${place % 10}`));
  await visit(PAYER, 'TID-OF-PAYER');
  expect(refused).not.toContain(PAYER);
  expect(made.indexOf(PAYER)).toBeLessThan(20);
  await Promise.all(flood);
});

test('one page is made in a turn of the event loop', async () => {
  const { visit, made } = openTurns();
  const flood = times(10, (place) => visit('198.51.100.1', `TID-${place}`));
  await new Promise(setImmediate);
  expect(made.length).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  expect(made).toHaveLength(10);
});
