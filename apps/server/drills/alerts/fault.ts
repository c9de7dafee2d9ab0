/** Faults that the drill plants, and the alerts that each must raise. */

/** An alert of the shipped rules; `labels` tell it from others of its rule. */
export type Expected = { alert: string; labels?: Readonly<Record<string, string>> };

export type Fault = {
  name: string;
  raises: readonly Expected[];
  /** Rules that may fire because of the fault, but do not have to. */
  mayRaise?: readonly string[];
  /** Plants the fault; throws unless it took place. */
  plant: () => Promise<void>;
  remove: () => Promise<void>;
};

/** Faults that are planted together, and removed when every alert of theirs was raised. */
export type Round = {
  name: string;
  faults: readonly Fault[];
  /** What must be done once before the faults are planted, such as a restart with wrong settings. */
  beforePlanting?: () => Promise<void>;
  /** Holds when the faults have lasted long enough, beside their alerts. */
  lasted?: () => boolean;
  afterRemoving?: () => Promise<void>;
  /** Rules that may fire before and after the faults: the drill shortens their waits, which a slow restart can exceed. */
  mayRaise?: readonly string[];
};

export const sameDay = (kind: string): Expected => ({ alert: 'CounterfoilSameDayAlarm', labels: { kind } });
