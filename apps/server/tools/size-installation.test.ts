import { expect, test } from 'vitest';
import type { Assumed, Measured } from './size-installation.ts';
import { diskBytes, sizeInstallation } from './size-installation.ts';

const MEASURED: Measured = {
  lives_per_s: 100,
  core_seconds_per_life: 0.01,
  postgres_core_seconds_per_life: 0.004,
  wal_bytes_per_life: 10_000,
  wal_bytes_lone_life: 200_000,
  table_bytes_per_life: 6_000,
  kept_bytes_per_life: 5_000,
  random_index_bytes_per_life: 1_000,
  idle_cores: 0.1,
  idle_wal_bytes_per_s: 1_000,
  api_memory_bytes: 400_000_000,
  worker_memory_bytes: 300_000_000,
  postgres_memory_bytes: 200_000_000,
};

const ASSUMED: Assumed = {
  peak_factor: 10,
  cores_share_at_peak: 0.5,
  invoices_per_cell: 100_000_000,
  processes_of_a_kind: 2,
  least_cores_per_cell: 2,
  least_cores_of_a_standby: 2,
  retention_days: 90,
  networks: 3,
  log_days_kept: 7,
  restored_bytes_per_s: 100_000_000,
  usd_per_core_month: 20,
  usd_per_memory_gb_month: 4,
  usd_per_disk_gb_month: 0.1,
  usd_per_archive_gb_month: 0.02,
  usd_per_network_and_cell_month: 100,
};

const SECONDS_PER_YEAR = 31_557_600;

test('a small installation is one cell with the least cores, and its providers cost most', () => {
  const size = sizeInstallation(MEASURED, ASSUMED, 1_000);
  expect(size).toMatchObject({ cells: 1, cellsAfterThreeYears: 1, coresPerCell: 2, standbyCoresPerCell: 2 });
  expect(size.processMemoryBytesPerCell).toBe(1_600_000_000);
  expect(size.usdPerMonth.cores).toBe(80);
  expect(size.usdPerMonth.providers).toBe(300);
  expect(size.usdPerMonth.providers).toBeGreaterThan(size.usdPerMonth.all / 2);
});

test('rates, cores, log and disk follow from the number of invoices', () => {
  const invoices = 10 * SECONDS_PER_YEAR;
  const size = sizeInstallation(MEASURED, { ...ASSUMED, invoices_per_cell: invoices }, invoices);
  expect(size.averagePerSecond).toBeCloseTo(10);
  expect(size.peakPerSecond).toBeCloseTo(100);
  // 100 a second of 0.01 core seconds, of which half may be in use, and what idles: 2.1 cores.
  expect(size.coresPerCell).toBe(3);
  expect(size.logBytesPerDay.least).toBeCloseTo(864_000 * 10_000 + 86_400_000);
  expect(size.logBytesPerDay.most).toBeCloseTo(864_000 * 200_000 + 86_400_000);
  expect(size.restoreHours).toBeCloseTo(size.diskBytesPerCell / 100_000_000 / 3_600);
});

test('cells split invoices evenly, and three years need three times as many', () => {
  const size = sizeInstallation(MEASURED, ASSUMED, 1_000_000_000);
  expect(size).toMatchObject({ cells: 10, cellsAfterThreeYears: 30 });
  expect(size.indexMemoryBytesPerCell).toBe(100_000_000_000);
  expect(size.diskBytesPerCell).toBeCloseTo(diskBytes(MEASURED, ASSUMED, 100_000_000));
});

test('what retention deletes is on the disk for its days only', () => {
  const kept = 5_000;
  const passing = 1_000;
  expect(diskBytes(MEASURED, ASSUMED, 1)).toBeCloseTo(kept + (passing * 90) / 365.25);
  expect(diskBytes(MEASURED, { ...ASSUMED, retention_days: 1_000 }, 1)).toBe(kept + passing);
});

test('the whole cost is the sum of its parts', () => {
  const { all, ...parts } = sizeInstallation(MEASURED, ASSUMED, 100_000_000).usdPerMonth;
  expect(Object.values(parts).reduce((sum, one) => sum + one, 0)).toBe(all);
});
