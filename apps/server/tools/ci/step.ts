/** Steps of the gate (.ci/run) and of the full run (.ci/full). */

export type Step = {
  name: string;
  /** Arguments of pnpm. */
  command: readonly string[];
  /** Arguments that only the full run adds, for example a random seed. */
  full?: readonly string[];
  environment?: Readonly<Record<string, string>>;
};

/** Steps that run one after another. */
type Lane = readonly string[];

/** Lanes that run side by side; the next stage starts when all of them have ended. */
export type Stage = readonly Lane[];

const SEED = 'random';
/** Every axe rule in every language, theme and width. */
const EVERY_AUDIT = { COUNTERFOIL_AXE: 'all' };

/** The step `drill:chain` runs `pnpm drill chain --quick`. */
const drill = (name: string, ...full: string[]): Step => ({ name, command: [...name.split(':'), '--quick'], full });

export const STEPS: readonly Step[] = [
  { name: 'check', command: ['check'] },
  { name: 'test:pure', command: ['test:pure'] },
  { name: 'test', command: ['test', '--project', 'engine', '--project', 'contract'] },
  { name: 'test:earlier', command: ['test:earlier'] },
  { name: 'dev:check', command: ['dev:check'] },
  drill('drill:concurrency'),
  drill('drill:fuzz', '--seed', SEED),
  { name: 'drill:mutants --changed', command: ['drill', 'mutants', '--changed'] },
  { name: 'test:checkout', command: ['test:checkout'] },
  { name: 'test:dashboard', command: ['test:dashboard'] },
  { name: 'e2e', command: ['e2e'] },
  { name: 'e2e:tls', command: ['e2e:tls'] },
  { name: 'e2e:dashboard', command: ['e2e:dashboard'] },

  { name: 'test:random', command: ['test:pure'], environment: { COUNTERFOIL_SEED: SEED } },
  { name: 'drill:mutants', command: ['drill', 'mutants'] },
  { name: 'test:checkout:all', command: ['test:checkout'], environment: EVERY_AUDIT },
  { name: 'e2e:dashboard:all', command: ['e2e:dashboard'], environment: EVERY_AUDIT },
  { name: 'e2e:browsers', command: ['e2e:browsers'] },
  drill('drill:attack'),
  drill('drill:chain'),
  drill('drill:exchanges'),
  drill('drill:sandbox'),
  drill('drill:webhooks'),
  drill('drill:keyring'),
  drill('drill:faults', '--seed', SEED),
  drill('drill:doctor'),
  { name: 'drill:monitoring', command: ['drill', 'monitoring'] },
  drill('drill:alerts'),
  drill('drill:upgrade'),
  { name: 'drill:image', command: ['drill', 'image'] },
  { name: 'scan', command: ['scan'] },
  { name: 'demo', command: ['demo', '--once'] },
  drill('bench:api'),
  drill('bench:match'),
  drill('bench:webhooks'),
  drill('bench:life'),
  drill('bench:checkout'),
  drill('bench:sources'),
  drill('bench:dashboard'),
  drill('bench:growth'),
  drill('bench:exports'),
  { name: 'rough', command: ['rough', 'MODE', 'test', '--project', 'engine', '--project', 'contract'] },
];

/** Checks that fail fastest come first; suites that mostly wait share the cores. */
export const GATE: readonly Stage[] = [
  [['check']],
  [['test:pure']],
  [['test']],
  [
    ['test:earlier', 'drill:concurrency', 'drill:fuzz'],
    ['drill:mutants --changed', 'dev:check'],
  ],
  [['e2e'], ['e2e:dashboard', 'e2e:tls'], ['test:checkout', 'test:dashboard']],
];

/** Steps that only the gate runs, because the full run has a larger form of them. */
const GATE_ONLY = new Set(['drill:mutants --changed', 'test:checkout', 'e2e:dashboard']);

/** One step at a time: the full run judges ratios of times. */
export const FULL: readonly Stage[] = STEPS.filter(({ name }) => !GATE_ONLY.has(name)).map(({ name }) => [[name]]);

export function findStep(name: string): Step {
  const step = STEPS.find((one) => one.name === name);
  if (!step) throw new Error(`There is no step ${name}. Steps: ${STEPS.map((one) => one.name).join(', ')}`);
  return step;
}
