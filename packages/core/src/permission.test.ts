import { describe, expect, test } from 'vitest';
import { isAllowed, LOOKING, mayGrant, PERMISSION_NAMES, reachOf, ROLES } from './permission.ts';

/**
 * The agreed matrix, written manually: y for all stores, t for test stores only, - for no. Columns: owner, admin,
 * developer, finance, viewer.
 */
const MATRIX: Record<string, string> = {
  'invoice.see': 'yyyyy',
  'invoice.create': 'yyyy-',
  'balance.see': 'yy-y-',
  'export.see': 'yy-y-',
  'export.make': 'yy-y-',
  'transfer.attach': 'yy-y-',
  'delivery.see': 'yyy--',
  'delivery.use': 'yyy--',
  'api_key.use': 'yyy--',
  'webhook_secret.use': 'yyy--',
  'store.change': 'yyt--',
  'method.see': 'yyyy-',
  'method.change': 'yyt--',
  'method.lock': 'yyyyy',
  'method.unlock': 'y----',
  'balance.top_up': 'yy-y-',
  'team.see': 'yy---',
  'team.change': 'yy---',
  'team.require_two_factor': 'y----',
  'audit.see': 'yy-y-',
  'merchant.close': 'y----',
  'security.see': 'y----',
};
const LETTERS = { all: 'y', test: 't', none: '-' };

test('every permission has a row in the matrix', () => {
  expect(PERMISSION_NAMES.toSorted()).toEqual(Object.keys(MATRIX).toSorted());
});

test.each(Object.entries(MATRIX))('%s is for %s', (permission, expected) => {
  expect(ROLES.map((role) => LETTERS[reachOf(role, permission)]).join('')).toBe(expected);
});

describe('what is unknown is refused', () => {
  test.each([
    ['a role that nobody defined', 'superuser', 'invoice.see'],
    ['an empty role', '', 'invoice.see'],
    ['a role of another case', 'Owner', 'invoice.see'],
    ['a permission that nobody defined', 'owner', 'invoice.delete'],
    ['a permission with the name of an inherited member', 'owner', 'constructor'],
    ['a role with the name of an inherited member', '__proto__', 'invoice.see'],
    ['a role that is a method of all objects', 'toString', 'invoice.see'],
  ])('%s', (_title, role, permission) => {
    expect(isAllowed(role, permission, true)).toBe(false);
    expect(isAllowed(role, permission, false)).toBe(false);
  });
});

describe('a permission for test stores only', () => {
  test('is refused for a live store', () => expect(isAllowed('developer', 'method.change', true)).toBe(false));
  test('is granted for a test store', () => expect(isAllowed('developer', 'method.change', false)).toBe(true));
  test('is refused for the merchant as a whole', () => expect(isAllowed('developer', 'method.change')).toBe(false));
});

test('an operator who looks at a merchant may see everything, and do nothing', () => {
  const allowed = PERMISSION_NAMES.filter((permission) => isAllowed(LOOKING, permission, true));
  expect(allowed.toSorted()).toEqual([
    'audit.see',
    'balance.see',
    'delivery.see',
    'export.see',
    'invoice.see',
    'method.see',
    'security.see',
    'team.see',
  ]);
  expect(isAllowed(LOOKING, 'secret.see')).toBe(false);
  expect(ROLES.some((role) => mayGrant(LOOKING, role))).toBe(false);
});

const granted = (own: string) => ROLES.filter((role) => mayGrant(own, role));

describe('roles are given by', () => {
  test('an owner: every role', () => expect(granted('owner')).toEqual([...ROLES]));
  test('an admin: every role but owner', () =>
    expect(granted('admin')).toEqual(ROLES.filter((role) => role !== 'owner')));
  test.each(['developer', 'finance', 'viewer', 'unknown'])('a %s: none', (role) => expect(granted(role)).toEqual([]));
});
