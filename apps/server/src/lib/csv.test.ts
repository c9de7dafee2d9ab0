import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { parseCsv } from '../../rig/exports/parse-csv.ts';
import { booleanCell, numberCell, textCell, timeCell, writeHeader, writeRecord } from './csv.ts';

const SIGNS = ['=', '+', '-', '@', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];
const GUARDED = [...SIGNS, '\t', '\r', '\n'];

describe('a text that a spreadsheet would take for a formula', () => {
  test.each(GUARDED)('gets an apostrophe in front when it begins with %j', (sign) => {
    expect(parseCsv(writeRecord([textCell(`${sign}1+1`)]))).toEqual([[`'${sign}1+1`]]);
    expect(parseCsv(writeRecord([textCell(sign)]))).toEqual([[`'${sign}`]]);
  });

  test.each([
    ['order 7;=HYPERLINK("https://evil.example","open")', `order 7;'=HYPERLINK("https://evil.example","open")`],
    ['a\t=1+1', "a\t'=1+1"],
    ['x;@SUM(1)', "x;'@SUM(1)"],
    [';+1', ";'+1"],
    ['a\r\n-1', "a\r\n'-1"],
    ['a\n\uFF1D1', "a\n'\uFF1D1"],
    ['\t=1', "'\t'=1"],
    // A cell that begins with a closed quotation mark is read without it.
    ['x;"=1+1;y', `x;'"=1+1;y`],
  ])('%j has no part that is one where files are cut by semicolons or tabs, as in much of Europe', (text, expected) => {
    const record = writeRecord([textCell('TID-1'), textCell(text), textCell('MID-1')]);
    expect(parseCsv(record)).toEqual([['TID-1', expected, 'MID-1']]);
    const parts = record.split(/[;\t\r\n]+/);
    expect(parts.filter((part) => /^"*[=+@\-\uFF1D]/.test(part))).toEqual([]);
  });

  test.each(['a=1', ' =1', "'=1", '1-2', 'a@b.example', '', 'a;b', 'a; -b', 'two\nlines'])(
    '%j is left alone',
    (text) => {
      expect(parseCsv(writeRecord([textCell(text)]))).toEqual([[text]]);
    },
  );
});

describe('cells', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
    ['say "yes"', '"say ""yes"""'],
    ['two\nlines', '"two\nlines"'],
    ['a\rb', '"a\rb"'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
  ])('%j stands in the file as %j', (text, expected) => expect(textCell(text)).toBe(expected));

  test.each([
    ['-12.50', '-12.50'],
    [-3n, '-3'],
    [0, '0'],
    [null, ''],
  ])('the number %s keeps its sign and its digits', (value, expected) => expect(numberCell(value)).toBe(expected));

  test.each(['1e3', 'NaN', 'Infinity', '=1', '', '+1', '1.'])('%j is no number', (text) =>
    expect(() => numberCell(text)).toThrow('no exact decimal'),
  );

  test('moments are in UTC, and nothing is empty', () => {
    expect(timeCell(new Date(Date.UTC(2026, 10, 17, 1, 2, 3, 4)))).toBe('2026-11-17T01:02:03.004Z');
    expect([timeCell(null), textCell(null), booleanCell(null)]).toEqual(['', '', '']);
    expect([booleanCell(true), booleanCell(false)]).toEqual(['yes', 'no']);
  });
});

const isFormula = (part: string) => SIGNS.includes(part.replace(/^"+/, '').slice(0, 1));

test('whatever texts are written, the same texts are read, but for the apostrophe', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...GUARDED, '"', ',', ';', "'", 'a') }),
  );
  const guarded = (one: string) => {
    const parts = one.split(/(?<=[;\t\r\n])/);
    const rest = parts.map((part, place) => (place > 0 && isFormula(part) ? `'${part}` : part)).join('');
    return GUARDED.includes(one.slice(0, 1)) ? `'${rest}` : rest;
  };
  const records = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(records, (written) => {
      const file = written.map((record) => writeRecord(record.map(textCell))).join('');
      expect(parseCsv(file)).toEqual(written.map((record) => record.map(guarded)));
    }),
  );
});

test('every record ends with CR LF, the first one too', () => {
  expect(writeHeader(['a', 'b']) + writeRecord([textCell('1'), textCell('2')])).toBe('a,b\r\n1,2\r\n');
});
