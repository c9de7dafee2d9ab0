import { expect, test } from 'vitest';
import { createTestEventId, deriveEventId } from './event.ts';

const SALT = Buffer.alloc(32, 7);
const CODE = 'TID-AAAAAAAAAAAAAAAA';

test('the id of an event follows from merchant, invoice and type, and from nothing else', () => {
  const id = deriveEventId(SALT, CODE, 'invoice.completed');
  // Fixed here: merchants have seen such ids, and a restored database must always derive the same ones.
  expect(id).toBe('evt_SJHnQ9DKuEhzsSEYwXIuOFP3');
  const others = [
    deriveEventId(Buffer.alloc(32, 8), CODE, 'invoice.completed'),
    deriveEventId(SALT, 'TID-AAAAAAAAAAAAAAAB', 'invoice.completed'),
    deriveEventId(SALT, CODE, 'invoice.expired'),
  ];
  for (const other of others) expect(other).toMatch(/^evt_[A-Za-z0-9]{24}$/);
  expect(new Set([id, ...others]).size).toBe(4);
});

test('a test event has an id of its own each time', () => {
  expect(createTestEventId()).not.toBe(createTestEventId());
});
