/** A reader of CSV files by RFC 4180 that shares nothing with what writes them. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let place = 0;
  while (place < text.length) {
    let cell = '';
    if (text[place] === '"') {
      for (place += 1; text[place] !== '"' || text[place + 1] === '"'; place += 1) {
        if (place >= text.length) throw new Error('A quotation mark is not closed.');
        if (text[place] === '"') place += 1;
        cell += text[place];
      }
      place += 1;
    } else {
      for (; place < text.length && text[place] !== ',' && text[place] !== '\r'; place += 1) cell += text[place];
    }
    cells.push(cell);
    if (text[place] === ',') place += 1;
    else if (text.slice(place, place + 2) === '\r\n') {
      records.push(cells);
      cells = [];
      place += 2;
    } else throw new Error(`A cell does not end: ${text.slice(place, place + 20)}`);
  }
  return records;
}

/** The records of a file by the names in its first line. */
export function parseTable(text: string): Record<string, string>[] {
  const [names = [], ...records] = parseCsv(text);
  return records.map((record) => {
    if (record.length !== names.length) throw new Error(`A record has ${record.length} cells.`);
    return Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']));
  });
}
