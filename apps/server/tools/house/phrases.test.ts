import { expect, test } from 'vitest';
import { countPhrases } from './count-phrases.ts';
import { PHRASES } from './phrases.ts';

const find = (text: string) => countPhrases([{ path: 'a.md', text }], PHRASES).found.map(({ phrase }) => phrase);

test.each([
  ['You are told by mail.', ['mail', 'told']],
  ['Nobody of yours asked for it.', ['Nobody', 'of yours']],
  ['This page updates by itself and goes on.', ['by itself', 'goes on']],
  ['What waited is decided later.', ['What waited']],
  ['The next try follows two looks.', ['next try', 'two looks']],
])('%j is found to contain %j', (text, phrases) => {
  expect(find(text).toSorted()).toEqual(phrases.toSorted());
});

test.each([
  ['We sent you an email through a mail server.'],
  ['Set `mail` or COUNTERFOIL_MAIL_SERVER, as in [the guide](docs/mail.md) and {told}.'],
  ['What is the balance? The worker tries again, and tries to reconnect.'],
  ['Two requests at once are one. A key acts as its store.'],
])('%j contains no listed phrase', (text) => {
  expect(find(text)).toEqual([]);
});

test('a phrase is found across lines of a comment, and its rate is per 10,000 words', () => {
  const texts = [{ path: 'a.ts', text: ' One two three four five six seven by\n * itself.' }];
  expect(countPhrases(texts, PHRASES)).toMatchObject({
    words: 9,
    per10k: 1111.1,
    found: [{ path: 'a.ts', phrase: 'by itself' }],
  });
});

test('each phrase is listed once, with a replacement that contains no other listed phrase', () => {
  expect(PHRASES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(PHRASES.map((phrase) => phrase.find)).size).toBe(PHRASES.length);
  expect(PHRASES.filter(({ write }) => write === '' || find(write).length > 0)).toEqual([]);
});
