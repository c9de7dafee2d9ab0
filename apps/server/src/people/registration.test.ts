import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayRegister, REGISTRATION_POLICIES } from './registration.ts';

describe('who may become a person', () => {
  test.each([
    ['closed', 'invitation', false],
    ['closed', 'sign-up', false],
    ['invited', 'invitation', true],
    ['invited', 'sign-up', false],
    ['open', 'invitation', true],
    ['open', 'sign-up', true],
  ] as const)('where registration is %s, by %s: %s', (policy, path, expected) => {
    expect(mayRegister(policy, path)).toBe(expected);
  });

  test('no other policy is known', () => {
    expect(REGISTRATION_POLICIES).toEqual(['closed', 'invited', 'open']);
  });

  test('every verb that makes a person asks the policy, or is for operators only', () => {
    const verbs = readdirSync(import.meta.dirname)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('-sql.ts'))
      .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }))
      .filter(({ text }) => /\binsertPerson\(/.test(text));
    const asking = verbs.filter(({ text }) => /\brequireRegistration\(/.test(text)).map(({ name }) => name);
    const ofOperators = verbs.filter(({ text }) => /\bactor: Operator\b/.test(text)).map(({ name }) => name);
    expect(asking).toEqual(['accept-invitation.ts', 'verify-sign-up.ts']);
    expect(ofOperators).toEqual(['create-person.ts']);
    expect(verbs).toHaveLength(asking.length + ofOperators.length);
  });
});
