import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANSWERS, install, PLANTED, REPOSITORY } from '../../rig/deploy/installation.ts';
import { tagOf, VERSION } from '../../src/lib/version.ts';

const SERVER_USER = 10_001;
const DATABASE_USER = 999;
const CADDY_USER = 10_002;
const PERMISSIONS = 0o777;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-install-'));
});
afterEach(() => rm(folder, { recursive: true }));

const secretOf = (name: string) => readFile(join(folder, 'secrets', name), 'utf8');
const settings = () => readFile(join(folder, '.env'), 'utf8');
const secretNames = async () => (await readdir(join(folder, 'secrets'))).filter((name) => name !== 'key-ring');

/** Everything that was written, by its path, with its owner, mode and time. */
async function snapshot(): Promise<Record<string, string>> {
  const paths = ['.env', ...(await secretNames()).map((name) => `secrets/${name}`)];
  const facts = paths.map(async (path) => {
    const { mode, uid, mtimeMs } = await stat(join(folder, path));
    return [path, `${mode} ${uid} ${mtimeMs} ${await readFile(join(folder, path), 'utf8')}`];
  });
  return Object.fromEntries(await Promise.all(facts)) as Record<string, string>;
}

describe('bin/install', () => {
  test('writes settings without secrets, and secrets that only the user of their container can read', async () => {
    expect(await install(folder)).toMatchObject({ code: 0, error: '' });
    expect(await settings()).not.toContain(PLANTED);
    expect(await settings()).not.toContain('postgresql://');
    expect((await stat(join(folder, 'secrets'))).mode & PERMISSIONS).toBe(0o700);
    const isRoot = process.getuid?.() === 0;
    for (const name of await secretNames()) {
      const { mode, uid } = await stat(join(folder, 'secrets', name));
      const user = name === 'database_password' ? DATABASE_USER : SERVER_USER;
      expect([name, mode & PERMISSIONS, uid]).toEqual([name, 0o400, isRoot ? user : process.getuid?.()]);
    }
    const { mode, uid } = await stat(join(folder, 'certificates'));
    expect([mode & PERMISSIONS, uid]).toEqual([0o700, isRoot ? CADDY_USER : process.getuid?.()]);
    expect(await secretOf('rpc_bsc')).toBe(ANSWERS['COUNTERFOIL_RPC_BSC']);
    expect(await secretOf('rpc_eth')).toBe('');
  });

  test('draws another long password for every role, and for every installation', async () => {
    await install(folder);
    const names = ['api', 'worker', 'dashboard', 'views', 'admin', 'migrate'];
    const drawn = await Promise.all(
      names.map(async (name) => new URL(await secretOf(`${name}_database_url`)).password),
    );
    expect(new Set(drawn).size).toBe(names.length);
    for (const password of drawn) expect(password).toMatch(/^[\w-]{43}$/);
    expect(drawn.at(-1)).toBe(await secretOf('database_password'));
    await rm(join(folder, 'secrets'), { recursive: true });
    await install(folder);
    expect(drawn).not.toContain(new URL(await secretOf('api_database_url')).password);
  });

  test('prints no secret, neither one that was given nor one that was drawn', async () => {
    const { out, error } = await install(folder);
    const printed = `${out}${error}`;
    expect(printed).not.toContain(PLANTED);
    const written = await Promise.all((await secretNames()).map(secretOf));
    for (const text of written.filter((one) => one !== '')) expect(printed).not.toContain(text);
    expect(printed).not.toContain(await secretOf('database_password'));
  });

  test('changes nothing when it is run again', async () => {
    await install(folder);
    const before = await snapshot();
    const { out } = await install(folder);
    expect(out).toMatch(/^Nothing changed\.$/m);
    expect(await snapshot()).toEqual(before);
    await install(folder, { answers: {} });
    expect(await snapshot()).toEqual(before);
  });

  test('adds a network that is named later, and keeps what stands there and what an operator has written', async () => {
    await install(folder);
    const edited = `${await settings()}COUNTERFOIL_LOG_LEVEL=warn\n`;
    await writeFile(join(folder, '.env'), edited);
    const before = await snapshot();
    const later = {
      COUNTERFOIL_API_HOST: 'other.shop.test',
      COUNTERFOIL_RPC_BSC: 'https://other.invalid',
      COUNTERFOIL_RPC_ETH: 'https://three.invalid,https://four.invalid',
      COUNTERFOIL_LOG_LEVEL: 'debug',
    };
    const { code, out } = await install(folder, { answers: later });
    expect(code).toBe(0);
    expect(await secretOf('rpc_eth')).toBe(later.COUNTERFOIL_RPC_ETH);
    const { '.env': _, 'secrets/rpc_eth': __, ...others } = before;
    expect(await snapshot()).toMatchObject(others);
    expect(await settings()).toBe(edited.replace('# COUNTERFOIL_RPC_ETH_FILE', 'COUNTERFOIL_RPC_ETH_FILE'));
    for (const kept of ['COUNTERFOIL_API_HOST', 'COUNTERFOIL_LOG_LEVEL', 'secrets/rpc_bsc'])
      expect(out).toMatch(new RegExp(`^Note: ${kept} is another.* stays`, 'm'));
  });

  test('reads values of .env with quotes as compose reads them', async () => {
    await install(folder);
    const quoted = (await settings()).replace(/^(COUNTERFOIL_API_HOST)=(.*)$/m, '$1="$2"');
    const edited = quoted.replace(/^(COUNTERFOIL_CHECKOUT_HOST)=(.*)$/m, `$1='$2'`);
    await writeFile(join(folder, '.env'), edited);
    const { code, out } = await install(folder, { answers: {} });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Nothing changed\.\n\nNext:\n1\. DNS: let api\.shop\.test,/),
    ]);
    expect(await settings()).toBe(edited);
  });

  test('names the version of its folder in the tag of the image at every run, and keeps a name of the operator', async () => {
    await install(folder);
    const tag = `counterfoil:${tagOf(VERSION)}`;
    expect(await settings()).toContain(`\nCOUNTERFOIL_IMAGE=${tag}\n`);
    expect(await settings()).toContain(`\nCOUNTERFOIL_REVISION=${VERSION.commit}\n`);
    const own = ['counterfoil:mine', 'registry.test/counterfoil:0.0.9'];
    for (const before of ['counterfoil:local', 'counterfoil:0.0.9', 'counterfoil:0.0.9-0123456789ab', ...own]) {
      const edited = (await settings()).replace(/^COUNTERFOIL_IMAGE=.*$/m, `COUNTERFOIL_IMAGE=${before}`);
      await writeFile(join(folder, '.env'), edited);
      const { out } = await install(folder, { answers: {} });
      const isOwn = own.includes(before);
      expect(await settings()).toBe(isOwn ? edited : edited.replace(before, tag));
      expect([before, out.includes(`Note: the image is ${tag} now, and ${before} stays`)]).toEqual([before, !isOwn]);
    }
  });

  test('sets what .env leaves empty where it stands, and not a second time', async () => {
    await install(folder);
    await writeFile(join(folder, '.env'), `${await settings()}COUNTERFOIL_LOG_LEVEL=\n`);
    const answers = { COUNTERFOIL_LOG_LEVEL: 'debug' };
    expect(await install(folder, { answers })).toMatchObject({ code: 0, error: '' });
    expect((await settings()).match(/^.*COUNTERFOIL_LOG_LEVEL.*$/gm)).toEqual([
      '# COUNTERFOIL_LOG_LEVEL=info',
      'COUNTERFOIL_LOG_LEVEL=debug',
    ]);
    expect((await install(folder, { answers })).out).toMatch(/^Nothing changed\.$/m);
  });

  test('changes nothing when .env has a name twice: compose would take the later one', async () => {
    await install(folder);
    const edited = `${await settings()}COUNTERFOIL_API_HOST=\n`;
    await writeFile(join(folder, '.env'), edited);
    const { code, error } = await install(folder);
    expect([code, error]).toEqual([1, 'COUNTERFOIL_API_HOST: stands in .env more than once\n']);
    expect(await settings()).toBe(edited);
  });

  test('takes away what others may do with a secret that is there, and names it', async () => {
    await install(folder);
    const before = await snapshot();
    await chmod(join(folder, 'secrets/api_database_url'), 0o644);
    await chmod(join(folder, 'secrets/rpc_bsc'), 0o440);
    const { code, out } = await install(folder);
    expect([code, out.match(/^closed .*$/gm)]).toEqual([
      0,
      ['closed secrets/api_database_url: others could read it', 'closed secrets/rpc_bsc: others could read it'],
    ]);
    expect(out).not.toContain('Nothing changed');
    expect(await snapshot()).toEqual(before);
  });

  test('reads a file with spaces and carriage returns at the ends of lines as if they were not there', async () => {
    const lines = ['COUNTERFOIL_REGISTRATION=open\r', 'COUNTERFOIL_STORE_PLAN="standard" \t\r', ' \r', ''];
    expect(await install(folder, { lines })).toMatchObject({ code: 0, error: '' });
    expect(await settings()).toMatch(/^COUNTERFOIL_REGISTRATION=open$/m);
    expect(await settings()).toMatch(/^COUNTERFOIL_STORE_PLAN=standard$/m);
    expect(await settings()).not.toContain('\r');
  });

  test('takes lists of nodes with spaces between, and keys right after the host', async () => {
    const nodes = `https://one.invalid?key=${PLANTED}@/x,  https://two.invalid:65535/v2 , http://10.0.0.1?a=b`;
    const { code, error } = await install(folder, { answers: { ...ANSWERS, COUNTERFOIL_RPC_ETH: nodes } });
    expect([code, error]).toEqual([0, '']);
    expect(await secretOf('rpc_eth')).toBe(nodes.replaceAll(' ', ''));
  });

  test('says that a network with a single provider is checked by nobody', async () => {
    const { out } = await install(folder, {
      answers: { ...ANSWERS, COUNTERFOIL_RPC_ETH: 'https://same.invalid/a,https://same.invalid/b' },
    });
    expect(out.match(/^Note: \w+ is read from one provider/gm)).toEqual([
      'Note: ETH is read from one provider',
      'Note: TRC20 is read from one provider',
    ]);
  });
});

const EXPLAINED = /^(?:# )?([A-Z_0-9]+)=(.*)$/gm;
/** Variables of .env.example that bin/install generates or computes. */
const OWN = new Set([
  'COMPOSE_PROJECT_NAME',
  'COUNTERFOIL_VERSION',
  'COUNTERFOIL_REVISION',
  'COUNTERFOIL_ALARM_SECRET_FILE',
]);
const FILE_END = /_FILE$/;

/** An answer for a variable of .env.example: what is shown there, or an address for the file of a secret. */
function answerFor(name: string, shown: string): string {
  if (!FILE_END.test(name)) return shown.replaceAll('"', '');
  if (name.includes('MAIL')) return 'smtps://mail.invalid';
  return name.includes('RPC')
    ? `https://one.invalid/${name},https://two.invalid/${name}`
    : `https://one.invalid/${name}`;
}

test('every setting that .env.example explains can be answered, and reaches .env or a secret', async () => {
  const example = await readFile(join(REPOSITORY, '.env.example'), 'utf8');
  const explained = [...example.matchAll(EXPLAINED)].flatMap(([, name = '', shown = '']) =>
    OWN.has(name) ? [] : [{ name, shown, answer: answerFor(name, shown) }],
  );
  const answers = Object.fromEntries(explained.map(({ name, answer }) => [name.replace(FILE_END, ''), answer]));
  expect(Object.keys(answers)).toContain('COUNTERFOIL_SHARDS');
  expect(await install(folder, { answers })).toMatchObject({ code: 0, error: '' });
  const written = await settings();
  for (const { name, shown } of explained) expect(written).toContain(`\n${name}=${shown}\n`);
  const secret = explained.filter(({ name }) => FILE_END.test(name));
  expect(secret.length).toBeGreaterThan(0);
  for (const { shown, answer } of secret) expect(await secretOf(basename(shown))).toBe(answer);
});

describe('bin/install refuses, names every fault at once, repeats no value and writes nothing', () => {
  test.each<[string, Record<string, string>, string[], string[]]>([
    [
      'answers that are missing',
      {},
      [],
      ['COUNTERFOIL_API_HOST', 'COUNTERFOIL_CHECKOUT_HOST', 'COUNTERFOIL_DASHBOARD_HOST'],
    ],
    [
      'host names that are none',
      {
        ...ANSWERS,
        COUNTERFOIL_API_HOST: `https://${PLANTED}`,
        COUNTERFOIL_CHECKOUT_HOST: '10.0.0.1',
        COUNTERFOIL_DASHBOARD_HOST: 'Dashboard.Shop.test',
      },
      [],
      ['COUNTERFOIL_API_HOST', 'COUNTERFOIL_CHECKOUT_HOST', 'COUNTERFOIL_DASHBOARD_HOST'],
    ],
    [
      'one host for two purposes',
      { ...ANSWERS, COUNTERFOIL_DASHBOARD_HOST: 'pay.shop.test' },
      [],
      ['COUNTERFOIL_DASHBOARD_HOST'],
    ],
    [
      'nodes that are asked without encryption',
      { ...ANSWERS, COUNTERFOIL_RPC_ETH: `https://one.test,http://two.test/${PLANTED}` },
      [],
      ['COUNTERFOIL_RPC_ETH'],
    ],
    ['nodes that are no addresses', { ...ANSWERS, COUNTERFOIL_RPC_ETH: `${PLANTED} x` }, [], ['COUNTERFOIL_RPC_ETH']],
    [
      "nodes for customers' payments that are asked without encryption",
      { ...ANSWERS, COUNTERFOIL_INSPECT_RPC_ETH: `http://two.test/${PLANTED}` },
      [],
      ['COUNTERFOIL_INSPECT_RPC_ETH'],
    ],
    [
      'lists of nodes that processes would refuse',
      {
        ...ANSWERS,
        COUNTERFOIL_RPC_BSC: `https://one.test/${PLANTED};https://two.test`,
        COUNTERFOIL_RPC_ETH: `https://user:${PLANTED}@one.test`,
        COUNTERFOIL_RPC_TRC20: `https://${PLANTED}@one.test,https://two.test:65536`,
        COUNTERFOIL_RPC_SOL: `https://one.test/${PLANTED}|https://two.test`,
      },
      [],
      ['COUNTERFOIL_RPC_BSC', 'COUNTERFOIL_RPC_ETH', 'COUNTERFOIL_RPC_TRC20', 'COUNTERFOIL_RPC_SOL'],
    ],
    [
      'control characters inside of a line',
      {
        ...ANSWERS,
        COUNTERFOIL_STORE_PLAN: `a\r${PLANTED}`,
        COUNTERFOIL_MAIL_FROM: `\u001b${PLANTED} <pay@shop.test>`,
      },
      [],
      ['COUNTERFOIL_MAIL_FROM', 'COUNTERFOIL_STORE_PLAN'],
    ],
    ['a sender that is none', { ...ANSWERS, COUNTERFOIL_MAIL_FROM: PLANTED }, [], ['COUNTERFOIL_MAIL_FROM']],
    [
      'a mail server that is none, without a sender',
      { ...ANSWERS, COUNTERFOIL_MAIL_URL: `https://${PLANTED}`, COUNTERFOIL_MAIL_FROM: '' },
      [],
      ['COUNTERFOIL_MAIL_URL', 'COUNTERFOIL_MAIL_FROM'],
    ],
    ...[
      `smtp://shop:${PLANTED}#@mail.test`,
      `smtp://shop:${PLANTED}%zz@mail.test`,
      `smtp://shop:${PLANTED}%ff@mail.test`,
      `smtp://${PLANTED}@mail.test`,
      `smtp://:${PLANTED}@mail.test`,
      `smtp://${PLANTED}:@mail.test`,
      `smtp://${PLANTED}.test:65536`,
    ].map((url): [string, Record<string, string>, string[], string[]] => [
      `a mail server that processes would refuse, ${url.replace(PLANTED, '...')}`,
      { ...ANSWERS, COUNTERFOIL_MAIL_URL: url },
      [],
      ['COUNTERFOIL_MAIL_URL'],
    ]),
    ...['0.0.0', '8.8.8', '172.15.0', '172.32.0', '192.169.0', '10.0.0.0/8', '10.0.256'].map(
      (prefix): [string, Record<string, string>, string[], string[]] => [
        `a network for Caddy that is not a private one, ${prefix}`,
        { ...ANSWERS, COUNTERFOIL_EDGE_PREFIX: prefix },
        [],
        ['COUNTERFOIL_EDGE_PREFIX'],
      ],
    ),
    [
      'a value that compose would read as something else',
      { ...ANSWERS, COUNTERFOIL_STORE_PLAN: '$HOME' },
      [],
      ['COUNTERFOIL_STORE_PLAN'],
    ],
    [
      'names that nobody knows',
      ANSWERS,
      [`COUNTERFOIL_RPC_BCS=https://${PLANTED}`, PLANTED],
      [1, 2].map((place) => `line ${Object.keys(ANSWERS).length + place} of the answers`),
    ],
  ])('%s', async (_, answers, lines, faults) => {
    const { code, out, error } = await install(folder, { answers, lines });
    expect([code, out]).toEqual([1, '']);
    expect(
      error
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(faults);
    expect(error).not.toContain(PLANTED);
    expect(await readdir(folder)).toEqual(['answers']);
  });

  test.each(['COUNTERFOIL_STORE_PLAN', 'COUNTERFOIL_RPC_ETH', 'COUNTERFOIL_MAIL_URL', 'COUNTERFOIL_MAIL_FROM'])(
    'a newline in %s, which would be a line of its own in .env',
    async (name) => {
      const { [name]: _, ...answers } = ANSWERS;
      const good = ANSWERS[name] ?? 'https://one.test';
      const variables = { [name]: `${good}\nCOUNTERFOIL_IMAGE=${PLANTED}` };
      const { code, out, error } = await install(folder, { answers, variables });
      expect([code, out]).toEqual([1, '']);
      expect(error).toContain(`${name}: must be without control characters, such as a new line\n`);
      expect(error).not.toContain(PLANTED);
      expect(await readdir(folder)).toEqual(['answers']);
    },
  );

  test('to run as somebody who cannot give secrets to the users of the containers', async () => {
    const isRoot = process.getuid?.() === 0;
    const { code, error } = await install(folder, { asUser: isRoot ? 65_534 : undefined, owner: 'containers' });
    expect(code).toBe(1);
    expect(error).toContain('Run this as root');
  });
});
