import { expect, test } from 'vitest';
import { nameOperator } from './name-operator.ts';

/** As Node fails for a user without an entry in the machine's list. */
const nameless = () => {
  throw Object.assign(new Error('A system error occurred'), { info: { code: 'ENOENT', syscall: 'uv_os_get_passwd' } });
};

const fail = () => {
  throw new Error('broken');
};

test.each([
  ['a user has a name', () => 'ada', undefined, 'ada'],
  ['sudo names who called it', () => 'root', 'ada', 'ada as root'],
  ['sudo to oneself is not told', () => 'ada', 'ada', 'ada'],
  ['a container whose user is only a number runs commands', nameless, undefined, 'uid 10001'],
  ['who is told to a container is named before its number', nameless, 'ada', 'ada as uid 10001'],
])('%s', (_rule, readName, sudoUser, name) => {
  expect(nameOperator({ uid: 10_001, sudoUser, readName })).toBe(name);
});

test('a failure of another kind is not taken for a user without a name', () => {
  expect(() => nameOperator({ uid: 10_001, sudoUser: undefined, readName: fail })).toThrow('broken');
});
