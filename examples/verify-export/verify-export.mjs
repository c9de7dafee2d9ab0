#!/usr/bin/env node
// Checks a file that was exported from Counterfoil. One file, nothing to install; Node 24 or later.
//
//   node verify-export.mjs FILE [--sha256 HEX]
//
// The hash of a file stands beside it in the dashboard. Of a statement, every running total and sum is computed anew;
// of an audit, the chain of its lines. The program reads the file as a stream, so its size does not matter.
// Ends with 0 when everything is right, with 1 when something is not, and with 2 when it was called wrongly.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const KINDS = new Map([
  ['tid,request_id,store,mode,', 'invoices'],
  ['network,token,amount,', 'transfers'],
  ['line,store,entry,at,kind,from_account,to_account,amount_usd,available_usd,held_usd,', 'statement'],
  ['number,at,actor,action,subject,details,previous_hash,hash', 'audit'],
]);
const NO_HASH = '0'.repeat(64);

class Fault extends Error {}

function readArguments(words) {
  const [file, option, value, ...more] = words;
  const isHash = option === '--sha256' && /^[0-9a-f]{64}$/i.test(value ?? '');
  if (!file || file.startsWith('-') || more.length > 0 || (option !== undefined && !isHash)) return undefined;
  return { file, sha256: value?.toLowerCase() };
}

/** Cuts text into records. A record ends with CR LF outside of quotation marks. */
function createRecords() {
  let rest = '';
  let place = 0;
  let quoted = false;
  return {
    /** The records that are whole now, as they stand in the file and without their line ends. */
    add(text) {
      rest += text;
      const found = [];
      let start = 0;
      for (; place < rest.length; place += 1) {
        if (rest[place] === '"') quoted = !quoted;
        if (quoted || rest[place] !== '\n') continue;
        if (rest[place - 1] !== '\r' || place === start) throw new Fault('A line does not end with CR LF.');
        found.push(rest.slice(start, place - 1));
        start = place + 1;
      }
      rest = rest.slice(start);
      place -= start;
      return found;
    },
    end() {
      if (rest !== '') throw new Fault('The last line is cut off.');
    },
  };
}

/** The cells of a record. */
function cellsOf(record) {
  const cells = [];
  for (let place = 0; ;) {
    if (record[place] !== '"') {
      const end = record.indexOf(',', place);
      const cell = record.slice(place, end === -1 ? undefined : end);
      if (/["\r\n]/.test(cell)) throw new Fault(`A cell has a stray quotation mark or line end: ${cell.slice(0, 40)}`);
      cells.push(cell);
      if (end === -1) return cells;
      place = end + 1;
      continue;
    }
    let end = place + 1;
    while (record[end] !== '"' || record[end + 1] === '"') {
      if (end >= record.length) throw new Fault('A quotation mark is not closed.');
      end += record[end] === '"' ? 2 : 1;
    }
    cells.push(record.slice(place + 1, end).replaceAll('""', '"'));
    if (end + 1 === record.length) return cells;
    if (record[end + 1] !== ',') throw new Fault('Text follows a closed quotation mark.');
    place = end + 2;
  }
}

/** An amount in US dollars as whole millionths, so that sums are exact. */
function microUsd(text, what) {
  const match = /^(-?)(\d+)\.(\d{2,6})$/.exec(text);
  if (!match) throw new Fault(`${what} is no amount: ${text}`);
  const [, sign, whole, fraction] = match;
  return BigInt(sign + whole + fraction.padEnd(6, '0'));
}

const usd = (micro) => {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

function requireSame(found, expected, what) {
  if (found !== expected) throw new Fault(`${what} is ${usd(found)}, and should be ${usd(expected)}.`);
}

const amounts = (cells, where) => [microUsd(cells[8], `Available ${where}`), microUsd(cells[9], `Held ${where}`)];

/** Computes a statement anew, store by store. */
function createStatement() {
  let store;
  let entries = 0;
  let lastEntry = 0n;
  let available = 0n;
  let held = 0n;
  let sums = new Map();
  let stores = 0;
  const lines = {
    opening(cells) {
      if (store !== undefined) throw new Fault(`The statement of ${store} is not closed.`);
      store = cells[1];
      [available, held] = amounts(cells, `at the beginning of ${store}`);
      lastEntry = 0n;
      sums = new Map();
    },
    entry(cells) {
      const [, , entry, , kind, from, to, amountText] = cells;
      const where = `after entry ${entry} of ${store}`;
      if (!/^\d+$/.test(entry) || BigInt(entry) <= lastEntry)
        throw new Fault(`Entry ${entry} of ${store} is out of order.`);
      const amount = microUsd(amountText, `The amount of entry ${entry}`);
      const moved = (account) => (to === account ? amount : 0n) - (from === account ? amount : 0n);
      available += moved('available');
      held += moved('held');
      const [shownAvailable, shownHeld] = amounts(cells, where);
      requireSame(shownAvailable, available, `Available ${where}`);
      requireSame(shownHeld, held, `Held ${where}`);
      sums.set(kind, (sums.get(kind) ?? 0n) + amount);
      lastEntry = BigInt(entry);
      entries += 1;
    },
    sum(cells) {
      const [, , , , kind] = cells;
      const what = `The sum of ${kind} of ${store}`;
      requireSame(microUsd(cells[7], what), sums.get(kind) ?? 0n, what);
      sums.delete(kind);
    },
    closing(cells) {
      if (sums.size > 0) throw new Fault(`The sum of ${[...sums.keys()].join(', ')} of ${store} is missing.`);
      const [shownAvailable, shownHeld] = amounts(cells, `at the end of ${store}`);
      requireSame(shownAvailable, available, `Available at the end of ${store}`);
      requireSame(shownHeld, held, `Held at the end of ${store}`);
      store = undefined;
      stores += 1;
    },
  };
  return {
    line(cells) {
      const [line, of] = cells;
      if (!Object.hasOwn(lines, line)) throw new Fault(`A line begins with ${line}.`);
      if (line !== 'opening' && (store === undefined || of !== store))
        throw new Fault(`A line of ${of} stands outside of its statement.`);
      lines[line](cells);
    },
    end() {
      if (store !== undefined) throw new Fault(`The statement of ${store} is not closed.`);
      return `${entries} entries of ${stores} stores; every running total and every sum is right.`;
    },
  };
}

/** Follows the chain of an audit's lines. */
function createAudit() {
  let number = 0;
  let previous = NO_HASH;
  let isOver = false;
  return {
    line(cells, record) {
      const [numberText, , , action, , details, previousHash, hash] = cells;
      number += 1;
      if (isOver) throw new Fault(`Line ${numberText} follows the last one.`);
      if (numberText !== String(number))
        throw new Fault(`Line ${number} is missing: ${numberText} stands in its place.`);
      if (previousHash !== previous) throw new Fault(`Line ${number} does not follow from the one before it.`);
      const end = `,${hash}`;
      if (!record.endsWith(end)) throw new Fault(`Line ${number} has no hash.`);
      const computed = createHash('sha256').update(record.slice(0, -end.length)).digest('hex');
      if (computed !== hash) throw new Fault(`Line ${number} was changed.`);
      previous = hash;
      isOver = action === 'export.end';
      if (isOver && details !== JSON.stringify({ entries: number - 1 })) throw new Fault('Lines are missing.');
    },
    end() {
      if (!isOver) throw new Fault('The last line is missing: lines were removed at the end.');
      return `${number - 1} entries, and the chain of their lines is whole. The last hash is ${previous}.`;
    },
  };
}

function createRows() {
  let rows = 0;
  return {
    line() {
      rows += 1;
    },
    end: () => `${rows} rows.`,
  };
}

const CHECKS = { invoices: createRows, transfers: createRows, statement: createStatement, audit: createAudit };

/** Checks line by line; the first line says what kind of file it is. */
function createCheck() {
  const records = createRecords();
  let kind;
  let check;
  let width = 0;
  let line = 0;
  const take = (record) => {
    line += 1;
    const cells = cellsOf(record);
    if (check) {
      if (cells.length !== width) throw new Fault(`Line ${line} has ${cells.length} cells, and should have ${width}.`);
      check.line(cells, record);
      return;
    }
    const start = [...KINDS.keys()].find((known) => record.startsWith(known));
    if (start === undefined) throw new Fault('The first line is not that of an export.');
    kind = KINDS.get(start);
    check = CHECKS[kind]();
    width = cells.length;
  };
  return {
    add(text) {
      for (const record of records.add(text)) take(record);
    },
    end() {
      records.end();
      if (!check) throw new Fault('The file is empty.');
      return `${kind}: ${check.end()}`;
    },
  };
}

async function verify({ file, sha256 }) {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = createCheck();
  const faults = [];
  // The whole file is hashed, also after a fault: whether the hash is right says who caused it.
  const attempt = (work) => {
    if (faults.length > 0) return undefined;
    try {
      return work();
    } catch (cause) {
      faults.push(cause instanceof Fault ? cause.message : `The file cannot be read as text: ${cause.message}`);
      return undefined;
    }
  };
  for await (const bytes of createReadStream(file)) {
    hash.update(bytes);
    attempt(() => check.add(decoder.decode(bytes, { stream: true })));
  }
  const told = attempt(() => {
    check.add(decoder.decode());
    return check.end();
  });
  const computed = hash.digest('hex');
  const isSame = sha256 === undefined || sha256 === computed;
  return { told, faults, computed, isSame, compared: sha256 !== undefined };
}

const asked = readArguments(process.argv.slice(2));
if (!asked) {
  process.stderr.write('Usage: node verify-export.mjs FILE [--sha256 HEX]\n');
  process.exit(2);
}
try {
  const { told, faults, computed, isSame, compared } = await verify(asked);
  if (told !== undefined) process.stdout.write(`${told}\n`);
  for (const fault of faults) process.stdout.write(`WRONG: ${fault}\n`);
  if (!isSame) process.stdout.write(`WRONG: The file is not the one that was exported. Its SHA-256 is ${computed}.\n`);
  if (isSame && compared) process.stdout.write('The SHA-256 of the file is the one that was given.\n');
  if (!compared)
    process.stdout.write(`The SHA-256 of the file is ${computed}. Compare it with the one in the dashboard.\n`);
  process.exitCode = faults.length === 0 && isSame ? 0 : 1;
} catch (cause) {
  process.stderr.write(`The file cannot be read: ${cause.message}\n`);
  process.exitCode = 2;
}
