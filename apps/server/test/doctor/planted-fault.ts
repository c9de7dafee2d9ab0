import type { DoctorContext } from '../../src/doctor/run-doctor.ts';

export type PlantedFault = {
  change: () => Promise<Partial<DoctorContext>>;
  /** What the doctor must say. */
  found: RegExp;
  undo?: () => Promise<unknown>;
};

/** What ends when all tests have run. */
export type Ends = (() => Promise<unknown>)[];
export type Faults = Record<string, PlantedFault>;
