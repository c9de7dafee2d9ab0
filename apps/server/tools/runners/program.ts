/** Drills and benches: their table, and how a typed command becomes the command that runs. Everything here is pure. */

type Program = {
  does: string;
  /** A PostgreSQL server, the one in memory that suites use, or neither: the program starts its own servers. */
  needs: 'postgres' | 'volatile postgres' | 'toolchain';
  options?: string;
};

export type Kind = 'drill' | 'bench';

export const PROGRAMS: Readonly<Record<Kind, Readonly<Record<string, Program>>>> = {
  drill: {
    alerts: {
      does: "Real faults raise the shipped alerts, nothing else does; needs Debian's prometheus and prometheus-alertmanager.",
      needs: 'postgres',
      options: '[--quick] [--part ROUND]',
    },
    attack: {
      does: 'Strangers hold sockets, flood every door that needs no key and crowd a page while a merchant sells.',
      needs: 'postgres',
      options: '[--quick] [--seed N] [--part floods]',
    },
    chain: {
      does: 'Payments on nine networks through wrong nodes, reorgs and killed workers: none lost, none double.',
      needs: 'postgres',
      options: '[--quick] [--seed N] [--part stale|pairs|outage|deaths|hardest|frozen|calm]',
    },
    concurrency: {
      does: 'Two API processes race on one database: idempotency, balances and limits to the exact count.',
      needs: 'postgres',
      options: '[--quick]',
    },
    doctor: {
      does: 'The doctor beside busy cores names nothing in a healthy installation, and still names a planted fault.',
      needs: 'postgres',
      options: '[--quick]',
    },
    exchanges: {
      does: 'Payments into exchange accounts at platforms that serve rows late, twice or not at all: none lost.',
      needs: 'postgres',
      options: '[--quick] [--seed N] [--part calm|faulty|held]',
    },
    faults: {
      does: 'Every process and PostgreSQL are killed, frozen and starved under load: none lost, none double.',
      needs: 'toolchain',
      options: '[--quick] [--seed N] [--part KIND]',
    },
    fuzz: {
      does: '20,000 hostile requests from a property-based generator; every answer is checked.',
      needs: 'postgres',
      options: '[--quick] [--seed N]',
    },
    image: {
      does: 'Builds the image and runs an installation from it, up to a paid invoice; as root, on Debian.',
      needs: 'postgres',
    },
    keyring: {
      does: 'The key ring is rotated while webhooks are sent, also by a worker that is late: none fails, none is lost.',
      needs: 'postgres',
      options: '[--quick]',
    },
    monitoring: {
      does: 'promtool and amtool check the shipped files; a real Prometheus has data for every panel.',
      needs: 'postgres',
    },
    mutants: {
      does: 'Plants bugs that would cost money, one at a time: the test named for a bug must fail.',
      needs: 'volatile postgres',
      options: '[--quick [--seed N]] [--changed] [--only NAME,NAME] [--generate N --seed N [--files N]] [--record]',
    },
    sandbox: {
      does: 'Test invoices of three test stores: two in a storm of faults, one undisturbed.',
      needs: 'postgres',
      options: '[--quick] [--seed N]',
    },
    upgrade: {
      does: 'Upgrades the newest earlier version with fewer migrations to this one and back, while customers pay.',
      needs: 'postgres',
      options: '[--quick] [--earlier COMMIT]',
    },
    webhooks: {
      does: 'Receivers fail and hang, workers are killed, the database restarts: every event arrives.',
      needs: 'toolchain',
      options: '[--quick] [--seed N]',
    },
  },
  bench: {
    api: {
      does: 'Create, lookup and selection through HTTP against the same statements run bare.',
      needs: 'postgres',
      options: '[--quick]',
    },
    checkout: {
      does: 'Thousands of viewers of the checkout page on one process, and what the page weighs.',
      needs: 'postgres',
      options: '[--quick]',
    },
    dashboard: {
      does: "The dashboard's lists over HTTP with a million invoices of one store, and what its pages cost a browser.",
      needs: 'postgres',
      options: '[--quick]',
    },
    exports: {
      does: 'One large export by a real worker: its rows a second, and the memory that it takes.',
      needs: 'postgres',
      options: '[--quick]',
    },
    growth: {
      does: 'Pages that every statement of the worker touches, with a thousand and with three million past invoices.',
      needs: 'postgres',
      options: '[--quick]',
    },
    life: {
      does: 'Whole lives of invoices on real processes and a real node: how many a second, and what one costs.',
      needs: 'postgres',
      options: '[--quick]',
    },
    match: {
      does: 'Reading, matching and expiring against the same rows written bare.',
      needs: 'postgres',
      options: '[--quick] [--minutes N]',
    },
    sources: {
      does: 'Requests that following chains and exchange accounts costs, and the memory of a million addresses.',
      needs: 'postgres',
      options: '[--quick]',
    },
    webhooks: {
      does: 'Signed deliveries a second by one worker, with and without bad receivers.',
      needs: 'postgres',
      options: '[--quick]',
    },
  },
};

const FOLDERS = { drill: 'drills', bench: 'benches' } as const;
const STARTERS = {
  postgres: ['bin/with-postgres'],
  'volatile postgres': ['bin/with-postgres', '--volatile'],
  toolchain: ['bin/with-toolchain'],
} as const;

export const isKind = (word: string | undefined): word is Kind => word === 'drill' || word === 'bench';

/** The lines of `--list`: the name and purpose of each program, followed by its options. */
export function listPrograms(kind: Kind): string[] {
  const programs = Object.entries(PROGRAMS[kind]);
  const width = Math.max(...programs.map(([name]) => name.length)) + 2;
  return programs.flatMap(([name, { does, options }]) => {
    const line = `${name.padEnd(width)}${does}`;
    return options === undefined ? [line] : [line, `${' '.repeat(width)}${options}`];
  });
}

/** The command of a program, from the root of the repository; undefined when there is no program of this name. */
export function commandOf(kind: Kind, name: string, words: readonly string[]): string[] | undefined {
  const programs = PROGRAMS[kind];
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program && [...STARTERS[program.needs], 'node', `apps/server/${FOLDERS[kind]}/${name}/main.ts`, ...words];
}
