/**
 * Arithmetic of docs/scale.md: requirements of a number of invoices a year, from measurements of `pnpm bench life` and
 * assumptions of docs/scale-figures.json. Everything is linear in invoices; nothing here was measured at these sizes.
 */

/** What the benches printed. Keys are those of their last lines; memory is what `pnpm bench life` prints above. */
export type Measured = {
  lives_per_s: number;
  core_seconds_per_life: number;
  postgres_core_seconds_per_life: number;
  wal_bytes_per_life: number;
  wal_bytes_lone_life: number;
  table_bytes_per_life: number;
  kept_bytes_per_life: number;
  random_index_bytes_per_life: number;
  idle_cores: number;
  idle_wal_bytes_per_s: number;
  api_memory_bytes: number;
  worker_memory_bytes: number;
  postgres_memory_bytes: number;
};

export type Assumed = {
  /** The busiest second of a year, as a multiple of its average. */
  peak_factor: number;
  /** Share of the processors that is in use at the peak. */
  cores_share_at_peak: number;
  invoices_per_cell: number;
  /** Processes of each kind in a cell: two, so that one can be replaced. */
  processes_of_a_kind: number;
  least_cores_per_cell: number;
  least_cores_of_a_standby: number;
  retention_days: number;
  networks: number;
  log_days_kept: number;
  restored_bytes_per_s: number;
  usd_per_core_month: number;
  usd_per_memory_gb_month: number;
  usd_per_disk_gb_month: number;
  usd_per_archive_gb_month: number;
  usd_per_network_and_cell_month: number;
};

export type Size = {
  averagePerSecond: number;
  peakPerSecond: number;
  cells: number;
  /** Cells after three such years, because invoices are never deleted. */
  cellsAfterThreeYears: number;
  coresPerCell: number;
  standbyCoresPerCell: number;
  processMemoryBytesPerCell: number;
  indexMemoryBytesPerCell: number;
  diskBytesPerCell: number;
  logBytesPerDay: { least: number; most: number };
  restoreHours: number;
  usdPerMonth: { cores: number; memory: number; disk: number; archive: number; providers: number; all: number };
};

const DAYS_PER_YEAR = 365.25;
const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3_600;
export const GIGABYTE = 1_000_000_000;

/** What invoices of one year leave on the disk at the year's end; what retention deletes is there for its days only. */
export function diskBytes(measured: Measured, assumed: Assumed, invoices: number): number {
  const passing = measured.table_bytes_per_life - measured.kept_bytes_per_life;
  const present = Math.min(1, assumed.retention_days / DAYS_PER_YEAR);
  return invoices * (measured.kept_bytes_per_life + passing * present);
}

function coresFor(perSecond: number, coreSeconds: number, assumed: Assumed): number {
  return (perSecond * coreSeconds) / assumed.cores_share_at_peak;
}

export function sizeInstallation(measured: Measured, assumed: Assumed, invoicesPerYear: number): Size {
  const averagePerSecond = invoicesPerYear / (DAYS_PER_YEAR * SECONDS_PER_DAY);
  const peakPerSecond = averagePerSecond * assumed.peak_factor;
  const cells = Math.ceil(invoicesPerYear / assumed.invoices_per_cell);
  const peakOfCell = peakPerSecond / cells;
  const busyCores = coresFor(peakOfCell, measured.core_seconds_per_life, assumed) + measured.idle_cores;
  const coresPerCell = Math.max(assumed.least_cores_per_cell, Math.ceil(busyCores));
  // A standby must be able to take over the database, not the processes, which run elsewhere.
  const databaseCores = coresFor(peakOfCell, measured.postgres_core_seconds_per_life, assumed);
  const standbyCoresPerCell = Math.max(assumed.least_cores_of_a_standby, Math.ceil(databaseCores));
  const processMemoryBytesPerCell =
    assumed.processes_of_a_kind * (measured.api_memory_bytes + measured.worker_memory_bytes) +
    measured.postgres_memory_bytes;
  const indexMemoryBytesPerCell = (invoicesPerYear / cells) * measured.random_index_bytes_per_life;
  const diskBytesPerCell = diskBytes(measured, assumed, invoicesPerYear) / cells;
  const livesPerDay = invoicesPerYear / DAYS_PER_YEAR;
  const idleLog = cells * measured.idle_wal_bytes_per_s * SECONDS_PER_DAY;
  const logBytesPerDay = {
    least: livesPerDay * measured.wal_bytes_per_life + idleLog,
    most: livesPerDay * measured.wal_bytes_lone_life + idleLog,
  };
  const size = {
    averagePerSecond,
    peakPerSecond,
    cells,
    cellsAfterThreeYears: Math.ceil((3 * invoicesPerYear) / assumed.invoices_per_cell),
    coresPerCell,
    standbyCoresPerCell,
    processMemoryBytesPerCell,
    indexMemoryBytesPerCell,
    diskBytesPerCell,
    logBytesPerDay,
    restoreHours: diskBytesPerCell / assumed.restored_bytes_per_s / SECONDS_PER_HOUR,
  };
  return { ...size, usdPerMonth: priceSize(size, assumed) };
}

const gigabytes = (bytes: number) => bytes / GIGABYTE;

/** Cost in the last month of the first year. Primary and standby each have the memory and the disk of a cell. */
function priceSize(size: Omit<Size, 'usdPerMonth'>, assumed: Assumed): Size['usdPerMonth'] {
  const { cells } = size;
  const memory = size.processMemoryBytesPerCell + 2 * size.indexMemoryBytesPerCell;
  const kept = cells * size.diskBytesPerCell + assumed.log_days_kept * size.logBytesPerDay.most;
  const parts = {
    cores: cells * (size.coresPerCell + size.standbyCoresPerCell) * assumed.usd_per_core_month,
    memory: cells * gigabytes(memory) * assumed.usd_per_memory_gb_month,
    disk: 2 * cells * gigabytes(size.diskBytesPerCell) * assumed.usd_per_disk_gb_month,
    archive: gigabytes(kept) * assumed.usd_per_archive_gb_month,
    providers: cells * assumed.networks * assumed.usd_per_network_and_cell_month,
  };
  return { ...parts, all: Object.values(parts).reduce((sum, one) => sum + one, 0) };
}
