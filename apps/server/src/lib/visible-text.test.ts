import { describe, expect, test } from 'vitest';
import { visibleLines, visibleText } from './visible-text.ts';

describe('a text that a terminal prints', () => {
  test.each([
    ['an escape sequence', 'Shop\u001b[2J\u001b]0;x\u0007', 'Shop\\u001b[2J\\u001b]0;x\\u0007'],
    ['an escape sequence of one character', 'Shop\u009b2J', 'Shop\\u009b2J'],
    ['line breaks, which would look like further lines', 'a\nactive  true\r', 'a\\u000aactive  true\\u000d'],
    ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['a backspace and a deletion', 'a\bb\u007f', 'a\\u0008b\\u007f'],
    ['marks that turn the direction', 'a\u202eb\u2066', 'a\\u202eb\\u2066'],
    ['characters without width', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\u00ad'],
    ['invisible tags', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half of a surrogate pair', 'a\ud800b', 'a\\ud800b'],
  ])('has an escape for %s', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test.each(['Café "Söhne" & Co', '商店', 'متجر', 'می\u200cخواهم', '👩\u200d🍳', 'a\\u001b'])(
    'stays what it is where everything is printed: %s',
    (text) => {
      expect(visibleText(text)).toBe(text);
    },
  );

  test('means the same where it is JSON', () => {
    const value = { name: 'a\u001b\u009b\u2028\u{e0041}"\\' };
    const text = visibleText(JSON.stringify(value));
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(text)).toEqual(value);
  });

  test('of several lines keeps its line breaks alone', () => {
    expect(visibleLines('one\n\ttwo\r\nthree')).toBe('one\n\\u0009two\\u000d\nthree');
  });
});
