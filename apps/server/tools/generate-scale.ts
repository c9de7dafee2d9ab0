import type { Assumed, Measured, Size } from './size-installation.ts';
import { GIGABYTE, sizeInstallation } from './size-installation.ts';

/** Fills the tables of docs/scale.md, so that its arithmetic cannot differ from the figures that it names. */

export type ScaleFigures = {
  measured: { date: string; machine: string; printed: Measured };
  assumed: Assumed;
};

const SIZES = [
  { name: '1 thousand', invoices: 1_000 },
  { name: '1 million', invoices: 1_000_000 },
  { name: '100 million', invoices: 100_000_000 },
  { name: '1 billion', invoices: 1_000_000_000 },
];

const SIGNIFICANT = 2;

/** A number with two significant digits, and without digits that were never known. */
function roughly(value: number): string {
  const rounded = Number(value.toPrecision(SIGNIFICANT));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: SIGNIFICANT });
}

const MEGABYTE = 1_000_000;
const MINUTES_PER_HOUR = 60;

const sizeText = (bytes: number) =>
  bytes < GIGABYTE ? `${roughly(bytes / MEGABYTE)} MB` : `${roughly(bytes / GIGABYTE)} GB`;

function durationText(hours: number): string {
  if (hours >= 1) return `${roughly(hours)} h`;
  const minutes = hours * MINUTES_PER_HOUR;
  return minutes < 1 ? 'under a minute' : `${roughly(minutes)} min`;
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function sizeRow(name: string, size: Size): string[] {
  const { least, most } = size.logBytesPerDay;
  return [
    name,
    roughly(size.averagePerSecond),
    roughly(size.peakPerSecond),
    `${size.cells} (${size.cellsAfterThreeYears})`,
    `${size.coresPerCell} + ${size.standbyCoresPerCell}`,
    `${sizeText(size.processMemoryBytesPerCell)} + ${sizeText(size.indexMemoryBytesPerCell)}`,
    sizeText(size.diskBytesPerCell * size.cells),
    `${sizeText(least)} to ${sizeText(most)}`,
    durationText(size.restoreHours),
  ];
}

function costRow(name: string, { usdPerMonth }: Size, invoices: number): string[] {
  const { all, ...parts } = usdPerMonth;
  const perInvoice = ((all * 12) / invoices) * 100;
  return [name, ...Object.values(parts).map(roughly), roughly(all), roughly(perInvoice)];
}

const rowsOf = (figures: Record<string, number>) =>
  Object.entries(figures).map(([key, value]) => [
    `\`${key}\``,
    value.toLocaleString('en-US', { maximumFractionDigits: 5 }),
  ]);

function sectionsOf({ measured, assumed }: ScaleFigures): Record<string, string> {
  const sized = SIZES.map(({ name, invoices }) => ({
    name,
    invoices,
    size: sizeInstallation(measured.printed, assumed, invoices),
  }));
  const sizeHead = [
    'Invoices a year',
    'Average /s',
    'Peak /s',
    'Cells (after 3 years)',
    'Cores of a cell + its standby',
  ];
  const more = ['Memory of a cell: processes + indexes', 'Disk after a year', 'Log a day', 'Restore of a cell'];
  const costHead = [
    'Invoices a year',
    'Cores',
    'Memory',
    'Disk',
    'Archive',
    'Providers',
    'All',
    'An invoice, in cents',
  ];
  return {
    measured: `${measured.date}, ${measured.machine}:\n\n${table(['Figure', 'Value'], rowsOf(measured.printed))}`,
    assumed: table(['Assumption', 'Value'], rowsOf(assumed)),
    sizes: table(
      [...sizeHead, ...more],
      sized.map(({ name, size }) => sizeRow(name, size)),
    ),
    costs: table(
      costHead,
      sized.map(({ name, size, invoices }) => costRow(name, size, invoices)),
    ),
  };
}

/** The document with its tables filled again; throws when one has no place in it. */
export function generateScale(document: string, figures: ScaleFigures): string {
  return Object.entries(sectionsOf(figures)).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- ${name}: by pnpm generate -->`, `<!-- /${name} -->`];
    const from = text.indexOf(start);
    const to = text.indexOf(end);
    if (from < 0 || to < from) throw new Error(`docs/scale.md has no place for ${name}.`);
    return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
  }, document);
}
