"""Changes that are more than a path. Each must fit: what no longer fits is named, and the run fails."""
import os, re, subprocess
from paths import *

FAULTS = []
ROOT = ''

def path_of(p): return os.path.join(ROOT, p)

def change(p, *pairs):
    """Pairs of a pattern and its replacement; a pattern is a regular expression when it is compiled, else a text."""
    full = path_of(p)
    if not os.path.exists(full): FAULTS.append(f'{p}: no such file'); return
    text = open(full, encoding='utf8').read()
    for old, new in pairs:
        if isinstance(old, str):
            if old not in text: FAULTS.append(f'{p}: has no {old!r}'); continue
            text = text.replace(old, new)
        else:
            if not old.search(text): FAULTS.append(f'{p}: has no {old.pattern!r}'); continue
            text = old.sub(new, text)
    open(full, 'w', encoding='utf8').write(text)

def create(p, text, executable=False):
    os.makedirs(os.path.dirname(path_of(p)), exist_ok=True)
    open(path_of(p), 'w', encoding='utf8').write(text)
    if executable: os.chmod(path_of(p), 0o755)

T = f'{SERVER}/test/project'

def folders_present():
    """Rooms with those of their folders that have files."""
    has = lambda d: os.path.isdir(path_of(f'{SERVER}/src/{d}'))
    found = {}
    for room, folders in ROOMS.items():
        own = [f for f in folders if has(f'{room}/{f}')]
        on_disk = sorted(d for d in os.listdir(path_of(f'{SERVER}/src/{room}')) if os.path.isdir(path_of(f'{SERVER}/src/{room}/{d}'))) if has(room) else []
        if folders:
            for d in on_disk:
                if d not in folders: FAULTS.append(f'src/{room}/{d} has no place in the order of table.py')
        found[room] = own
    return found

def order(present):
    rows = '\n'.join(f"  {room if '-' not in room else repr(room)}: [{', '.join(repr(f) for f in folders)}]," for room, folders in present.items())
    create(f'{T}/folder-order.ts', f"""/**
 * Rooms of the source and the folders in each, both in order: a file may import its own folder, folders to the left in
 * its room, and rooms to the left. A room without folders holds files.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {{
{rows}
}};

/** All folders below src, in order. */
export const FOLDERS = Object.entries(ROOMS).flatMap(([room, folders]) =>
  folders.length === 0 ? [room] : folders.map((folder) => `${{room}}/${{folder}}`),
);

export const roomOf = (path: string) => path.split('/')[0] ?? '';

/** The folder of a file below src; empty for a file that is in none. */
export const folderOf = (path: string) => FOLDERS.find((folder) => path.startsWith(`${{folder}}/`)) ?? '';
""")

def house():
    p = f'{T}/house.test.ts'
    change(p,
        (re.compile(r'\bROOMS\b'), 'PARTS'),
        (re.compile(r'\b(folderOf|importsOf)Room\b'), r'\1Part'),
        (re.compile(r'\broom\b'), 'part'),
        ('none of the other rooms', 'none of the other folders beside src'),
        ("import { FOLDERS } from './folder-order.ts';", "import { folderOf, FOLDERS, roomOf, ROOMS } from './folder-order.ts';"),
        (re.compile(r"const folderOf = .*\n"), ''),
        ("'chains/follow-chain.ts'", "'detection/chains/follow-chain.ts'") if "'chains/follow-chain.ts'" in open(path_of(p)).read() else (re.compile('^'), ''),
        (r"/^(?:sources|platforms)\/([a-z-]+)\//", r"/^networks\/(?:nodes|exchanges)\/([a-z-]+)\//"),
        (re.compile(r"  test\('every folder has its place in the order'.*?\n  \}\);\n\n  test\('a file imports only its own folder and folders to the left'.*?\n  \}\);\n", re.S), lambda m: NEW_ORDER_TESTS),
        ("path.startsWith('db/')", "path.startsWith('foundation/db/')"),
        (re.compile(r"  test\('ARCHITECTURE lists the folders in their order.*?\n  \}\);\n", re.S), lambda m: ARCHITECTURE_TEST),
        ("const faces = new Set(['', ...FOLDERS.slice(FOLDERS.indexOf('api'))]);", "const faces = new Set(FOLDERS.slice(FOLDERS.indexOf('interfaces/api')));"),
        (re.compile(r"  test\('an adapter imports only lib, networks, .*?\n  \}\);\n", re.S), lambda m: ADAPTER_TEST),
        ("`stores/store-for-${whom}.ts`", "`tenants/stores/store-for-${whom}.ts`"),
        (r"!/^(sources|platforms)\//", r"!/^networks\/(nodes|exchanges)\//"),
    )
    # The expected classes are listed in the order of their old places.
    change(p, (re.compile(r"expect\(classes\.toSorted\(\)\)\.toEqual\(\[(.*?)\]\);", re.S), lambda m: 'expect(classes.toSorted()).toEqual([' + sort_items(m[1]) + ']);'))

def sort_items(text):
    items = sorted(x.strip() for x in text.split('\n') if x.strip())
    return '\n' + ''.join(f'      {x}\n' for x in items) + '    '

NEW_ORDER_TESTS = """  test('every file is in a folder of the order, and every folder of the order has files', () => {
    expect(files.filter((file) => folderOf(file.path) === '').map(({ path }) => path)).toEqual([]);
    const present = new Set(files.map((file) => folderOf(file.path)));
    expect(FOLDERS.filter((folder) => !present.has(folder))).toEqual([]);
  });

  test('a file imports only its own room and rooms to the left', () => {
    const rooms = Object.keys(ROOMS);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => rooms.indexOf(roomOf(target)) > rooms.indexOf(roomOf(file.path)))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('within its room, a file imports only its own folder and folders to the left', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => roomOf(target) === roomOf(file.path))
        .filter((target) => FOLDERS.indexOf(folderOf(target)) > FOLDERS.indexOf(folderOf(file.path)))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
"""
ARCHITECTURE_TEST = """  test('ARCHITECTURE lists the folders in their order, and says of each what is in it', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const rooms = [...text.matchAll(/^\\| \\*\\*([a-z-]+)\\*\\* \\|/gm)].map((match) => match[1]);
    expect(rooms).toEqual(Object.keys(ROOMS));
    const rows = [...text.matchAll(/^\\| `([a-z]+\\/[a-z-]+)` \\|/gm)].map((match) => match[1]);
    expect(rows).toEqual(FOLDERS.filter((folder) => folder.includes('/')));
  });
"""
ADAPTER_TEST = """  test('an adapter imports only lib, outbound, catalog, its own folder, json-rpc, exchange and its port', () => {
    const wrong = files.flatMap((file) => {
      const [, kind, adapter] = /^networks\\/(nodes|exchanges)\\/([a-z-]+)\\//.exec(file.path) ?? [];
      if (adapter === undefined || isTest(file.path)) return [];
      const own = ['catalog', 'nodes/json-rpc', 'exchanges/exchange', `${kind}/${adapter}`].join('|');
      const allowed = new RegExp(
        `^(foundation/(lib|outbound)|networks/(${own}))/|^networks/(nodes|exchanges)/[a-z-]+\\\\.ts$`,
      );
      return importsOf(file)
        .filter((target) => !allowed.test(target))
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });
"""

# Owners of tables: folders of today to rooms or folders.
OWNER = {'invoices': 'invoices', 'webhooks': 'webhooks', 'accounts': 'detection/addresses'}
# Writes that the split of folders makes foreign.
MORE_WRITES = {}

def owners():
    p = f'{T}/table-owners.test.ts'
    text = open(path_of(p), encoding='utf8').read()
    start, end = text.index('const OWNERS'), text.index('const WRITES')
    def key(m):
        folder = m[2]
        rows = SRC.get(folder)
        if not rows: FAULTS.append(f'{p}: owner {folder} is unknown'); return m[0]
        return f"{m[1]}'{OWNER.get(folder, rows[-1][1])}':".replace("'sandbox'", 'sandbox').replace("'invoices'", 'invoices').replace("'webhooks'", 'webhooks')
    body = re.sub(r"^(  )'?([a-z-]+)'?:", key, text[start:end], flags=re.M)
    open(path_of(p), 'w', encoding='utf8').write(text[:start] + body + text[end:])
    change(p,
        ("import { FOLDERS } from './folder-order.ts';", "import { folderOf, FOLDERS } from './folder-order.ts';"),
        ('/** Folder that owns each table. Folders to the right may read it; other writes are listed below. */', '/** Folder or room that owns each table. Folders to the right may read it; other writes are listed below. */'),
        ("path.startsWith('db/')", "path.startsWith('foundation/db/')"),
        ("const folderOf = (path: string) => path.split('/')[0] ?? '';\nconst placeOf = (folder: string) => FOLDERS.indexOf(folder);\n",
         "const isIn = (path: string, owner: string) => path.startsWith(`${owner}/`);\n/** Place of a folder in the order; of a room, the place of its first folder. */\nconst placeOf = (owner: string) => FOLDERS.findIndex((folder) => folder === owner || isIn(folder, owner));\n"),
        ('uses(WRITTEN).filter((use) => folderOf(use) !== ownerOfUse(use))', 'uses(WRITTEN).filter((use) => !isIn(use, ownerOfUse(use)))'),
        (re.compile(r'const climbing = uses\(READ\)\.filter\(\(use\) => placeOf\(folderOf\(use\)\) < placeOf\(ownerOfUse\(use\)\)\);'),
         'const climbing = uses(READ).filter(\n    (use) => !isIn(use, ownerOfUse(use)) && placeOf(folderOf(use)) < placeOf(ownerOfUse(use)),\n  );'),
    )
    if MORE_WRITES:
        rows = ''.join(f"  '{k}': '{v}',\n" for k, v in MORE_WRITES.items())
        change(p, ('const WRITES: Record<string, string> = {\n', 'const WRITES: Record<string, string> = {\n' + rows))

def moved_tests():
    # A test that reads its own folder, which is no longer that of the source.
    p = f'{SERVER}/test/foundation/lib/log-output.test.ts'
    change(p, ('const HERE = JSON.stringify(import.meta.dirname);', "const HERE = JSON.stringify(join(import.meta.dirname, '../../../src/foundation/lib'));"))
    for folder, _, names in os.walk(path_of(f'{SERVER}/test')):
        for name in names:
            q = os.path.join(folder, name)
            if not name.endswith('.ts'): continue
            text = open(q, encoding='utf8').read()
            if re.search(r"import\.meta\.dirname(?!, ['`]\.\.)(?!, path)", text): FAULTS.append(f'{os.path.relpath(q, ROOT)}: reads its own folder')

def shape():
    change(f'{T}/verb-shape.test.ts',
        ("&& path.includes('/'))", "&& !path.startsWith('processes/'))"),
        (r"/^(api|checkout|dashboard|commands)\//", r"/^interfaces\/(api|checkout|dashboard|cli)\//"),
        (r"/^(http|lib|db)\//", r"/^(interfaces\/http|operations\/monitoring|foundation\/(lib|outbound|db))\//"),
    )

def programs():
    change('packages/bundler/src/bundle-server.ts', ("'../../../apps/server/src')", "'../../../apps/server/src/processes')"))
    change(f'{SERVER}/rig/processes/server-bundle.ts', ('apps/server/src/${program}.ts', 'apps/server/src/processes/${program}.ts'))
    change(f'{T}/image.test.ts', ("readdirSync(join(ROOT, 'apps/server/src'))", "readdirSync(join(ROOT, 'apps/server/src/processes'))"))
    change(f'{SERVER}/demo/dev.ts', ('`../src/${main}`', '`../src/processes/${main}`'))
    change(f'{T}/growth/worker-statements.ts', ("join(SOURCE, 'main-worker.ts')", "join(SOURCE, 'processes/main-worker.ts')"))
    change('knip.jsonc', ('"src/{cli,main-*}.ts"', '"src/processes/{cli,main-*}.ts"'))
    change('.oxlintrc.json', ('"**/mail/words/*.ts"', '"**/email/words/*.ts", "**/mutants/rows/*.ts"'))
    create('bin/counterfoil', BIN, executable=True)
    change('bin/counterfoil-admin', (re.compile(r'exec node "\$root/apps/server/src/processes/cli\.ts" "\$@"'), 'exec "$root/bin/counterfoil" admin "$@"'))
    change('bin/dev', ('node apps/server/src/processes/cli.ts "$@"', 'bin/counterfoil admin "$@"'))
    change('bin/local-env', ('node "$root/apps/server/src/processes/main-migrate.ts"', '"$root/bin/counterfoil" migrate'))

BIN = r"""#!/bin/sh
# Starts one process of Counterfoil from the source of this tree, by the names of the image's entry point (deploy/counterfoil).
set -eu
usage='usage: bin/counterfoil api | worker | dashboard | migrate [--plan] [--roles] [--login FILE] | admin COMMAND... | --version'
programs=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/apps/server/src/processes
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }
process=$1
shift
case $process in
  api | worker | dashboard) exec node --max-semi-space-size=32 "$programs/main-$process.ts" "$@" ;;
  migrate) exec node "$programs/main-migrate.ts" "$@" ;;
  --version) exec node "$programs/cli.ts" --version ;;
  admin) exec node "$programs/cli.ts" "$@" ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
"""

def versions():
    V = f'{SERVER}/rig/project/versions'
    create(f'{V}/places.ts', PLACES)
    change(f'{V}/find-earlier.ts',
        (re.compile(r"const MIGRATIONS = '[^']+';\n"), ''),
        ("import { chooseEarlier } from './earlier-version.ts';\n", "import { chooseEarlier } from './earlier-version.ts';\nimport { placeIn, PLACES } from './places.ts';\n"),
        ("await git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`)", "await git('ls-tree', '--name-only', commit, ...PLACES.migrations.map((place) => `${place}/`))"),
        ('await readdir(join(ROOT, MIGRATIONS))', "await readdir(placeIn(ROOT, 'migrations'))"),
        (re.compile(r"/\*\* Whether a commit has this file\. \*/\nexport function hasFile\(commit: string, path: string\): Promise<boolean> \{\n  return git\('cat-file', '-e', `\$\{commit\}:\$\{path\}`\)\.then\(\n    \(\) => true,\n    \(\) => false,\n  \);\n\}\n"),
         "/** Whether a commit has a part, at any of its places. */\nexport async function hasPart(commit: string, part: Part): Promise<boolean> {\n  return (await git('ls-tree', '--name-only', commit, ...PLACES[part])) !== '';\n}\n"),
        ("import { placeIn, PLACES } from './places.ts';", "import type { Part } from './places.ts';\nimport { placeIn, PLACES } from './places.ts';"),
    )
    checked = f'{V}/check-out.ts'
    if "'packages/bundler'" not in open(path_of(checked), encoding='utf8').read():
        # Earlier versions bundle their programs too, so their bundler needs its packages.
        change(checked, ("'packages/core']", "'packages/core', 'packages/bundler']"))
    change(f'{SERVER}/tools/test-earlier-version.ts',
        ('hasFile', 'hasPart'),
        (re.compile(r"/\*\* File by which a version knows that it may run on newer schemas\. \*/\nconst RULE = '[^']+';\n"), ''),
        ('await hasPart(earlier.hash, RULE)', "await hasPart(earlier.hash, 'compatibility')"),
        (re.compile(r"  execFileSync\(process\.execPath, \[\$\{JSON\.stringify\(join\(ROOT, '[^']+main-migrate\.ts'\)\)\}, \.\.\.words\], \{ env \}\);"),
         "  execFileSync(${JSON.stringify(join(ROOT, 'bin/counterfoil'))}, ['migrate', ...words], { env });"),
        (re.compile(r"const MAKERS = \[.*?\];\n", re.S), lambda m: MAKERS),
    )
    change(f'{SERVER}/drills/upgrade/run-of-version.ts',
        ('join(folder, `apps/server/src/${program}.ts`)', "join(placeIn(folder, 'programs'), `${program}.ts`)"),
        ("import { runProgram } from '../../rig/processes/run-program.ts';\n", "import { runProgram } from '../../rig/processes/run-program.ts';\nimport { placeIn } from '../../rig/project/versions/places.ts';\n"),
    )
    change(f'{SERVER}/drills/upgrade/installation.ts',
        (re.compile(r"const source = join\(folder, 'apps/server/src'\);"), "const source = placeIn(folder, 'programs');"),
        ("import { join } from 'node:path';\n", ''),
        ("import { untilDead } from '../../rig/processes/worker-fleet.ts';\n", "import { untilDead } from '../../rig/processes/worker-fleet.ts';\nimport { placeIn } from '../../rig/project/versions/places.ts';\n"),
    )
    change(f'{SERVER}/drills/upgrade/versions.ts',
        (re.compile(r"const JOB_FILE = .*\nconst HISTORY_FILE = .*\nconst CONFIG = .*\n"), ''),
        ('join(folder, JOB_FILE)', "placeIn(folder, 'job')"),
        ('join(folder, HISTORY_FILE)', "placeIn(folder, 'jobHistory')"),
        ("commit, '--', CONFIG)", "commit, '--', ...PLACES.config)"),
        ("`-S${DRAIN}`, '--', CONFIG)", "`-S${DRAIN}`, '--', ...PLACES.config)"),
        ("import type { Closers } from '../../rig/processes/site/site-processes.ts';\n", "import { placeIn, PLACES } from '../../rig/project/versions/places.ts';\nimport type { Closers } from '../../rig/processes/site/site-processes.ts';\n"),
    )
    change(f'{SERVER}/rig/processes/server-process.ts', (re.compile(r"`source` is the source\n \* folder of another version, which is started instead of this one\."), '`source` is the\n * folder with the programs of another version, which is started instead of this one.'))

PLACES = """import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Parts of a version that tools look for: first their place today, then the one before the source had rooms. */
export const PLACES = {
  programs: ['apps/server/src/processes', 'apps/server/src'],
  migrations: ['apps/server/src/foundation/db/migrations', 'apps/server/src/db/migrations'],
  /** By it a version knows that it may run on newer schemas. */
  compatibility: ['apps/server/src/foundation/db/compatibility.ts', 'apps/server/src/db/compatibility.ts'],
  job: ['apps/server/src/foundation/jobs/job.ts', 'apps/server/src/jobs/job.ts'],
  jobHistory: ['apps/server/src/foundation/jobs/job-history.ts', 'apps/server/src/jobs/job-history.ts'],
  config: ['apps/server/src/operations/config', 'apps/server/src/config'],
} as const;

export type Part = keyof typeof PLACES;

/** The path of a part in the folder of a version. */
export function placeIn(folder: string, part: Part): string {
  const found = PLACES[part].find((place) => existsSync(join(folder, place)));
  if (found === undefined) throw new Error(`${folder} has no ${part}.`);
  return join(folder, found);
}
"""
MAKERS = """const MAKERS = [
  {
    file: 'apps/server/rig/foundation/db/role-database.ts',
    migrator: '../../../src/foundation/db/prepare-database.ts',
  },
  { file: 'apps/server/rig/database/role-database.ts', migrator: '../../src/db/prepare-database.ts' },
  { file: 'apps/server/tools/role-database.ts', migrator: '../src/db/prepare-database.ts' },
  { file: 'apps/server/test/global-setup.ts', migrator: '../src/db/migrate.ts' },
];
"""

def tools():
    change(f'{SERVER}/tools/house/house.ts',
        (re.compile(r"const MAX_SHARE = [\d.]+;"), 'const MAX_SHARE = 0.2;\nconst MAX_ROOMS = 13;'),
        (re.compile(r"function folderOf\(\{ path \}: ParsedFile\): string \{.*?\n\}\n", re.S),
         lambda m: "function roomOf({ path }: ParsedFile): string {\n  const [first, second] = path.slice(SOURCE.length + 1).split('/');\n  return second === undefined ? '(loose)' : (first ?? '');\n}\n"),
        ('function printFolders(files: readonly ParsedFile[]): { folders: number; maxShare: number } {', 'function printRooms(files: readonly ParsedFile[]): { rooms: number; maxShare: number } {'),
        ('const folders = [...Map.groupBy(files, folderOf)]', 'const rooms = [...Map.groupBy(files, roomOf)]'),
        ('for (const folder of folders) {', 'for (const room of rooms) {'),
        ('`${((100 * folder.lines) / lines).toFixed(1)} %`', '`${((100 * room.lines) / lines).toFixed(1)} %`'),
        ('[folder.files, folder.lines]', '[room.files, room.lines]'),
        ('`${folder.name.padEnd(12)}', '`${room.name.padEnd(12)}'),
        ('return { folders: folders.length, maxShare: Math.max(...folders.map((folder) => folder.lines)) / lines };', 'return { rooms: rooms.length, maxShare: Math.max(...rooms.map((room) => room.lines)) / lines };'),
        ('const { folders, maxShare } = printFolders(files);', 'const { rooms, maxShare } = printRooms(files);'),
        ('if (maxShare > MAX_SHARE || unused.length > 0) process.exitCode = 1;', 'if (maxShare > MAX_SHARE || rooms > MAX_ROOMS || unused.length > 0) process.exitCode = 1;'),
        (re.compile(r"^    folders,\n", re.M), '    rooms,\n'),
        ('sizes of folders,', 'sizes of rooms,'),
    )
    change(f'{SERVER}/drills/mutants/generate/list-mutations.ts',
        (re.compile(r"const MONEY = \[.*?\];", re.S), "const MONEY = ['billing', 'detection', 'invoices', 'networks/exchanges', 'pricing/quotes', 'webhooks'];"))
    change(f'{SERVER}/drills/mutants/generate/record-suites.ts',
        (re.compile(r"const FOLDERS =\s+'[^']+';"), "const FOLDERS = 'billing,detection,interfaces,invoices,networks,pricing,sandbox,tenants,webhooks';"))
    change(f'{SERVER}/drills/mutants/main.ts', (r'/^src\/(db|jobs)\//', r'/^src\/foundation\/(db|jobs)\//'))
    change(f'{SERVER}/rig/project/growth/recorded-plans.ts',
        ("'db/database'", "'foundation/db/database'"), ("'db/guard-connection'", "'foundation/db/guard-connection'"),
        ("'db/preparing-pool'", "'foundation/db/preparing-pool'"), ("'db/transaction'", "'foundation/db/transaction'"),
        ("'lib/batch'", "'foundation/lib/batch'"))
    change(f'{SERVER}/tools/find-pure-tests.test.ts', ("'test/contract/rule.test.ts'", "'test/interfaces/contract/rule.test.ts'"))
    change(f'{SERVER}/test/operations/deploy/monitoring.test.ts',
        ("globSync('apps/server/src/interfaces/http/*.ts'", "globSync('apps/server/src/{interfaces/http,operations/monitoring}/*.ts'"))

def documents(present):
    p = 'ARCHITECTURE.md'
    text = open(path_of(p), encoding='utf8').read()
    start = text.index('`apps/server/src` holds one folder per noun')
    last = max(m.end() for m in re.finditer(r'^\| `[a-z-]+` \|.*\n', text[:text.index('are faces')], re.M))
    rows = dict(re.findall(r'^\| `([a-z-]+)` \| (.*) \|$', text[start:last], re.M))
    said = dict(ROW_TEXTS)
    for folder, words in rows.items():
        targets = SRC.get(folder)
        if not targets: FAULTS.append(f'{p}: the folder {folder} has no room'); continue
        said.setdefault(targets[-1][1], words)
    said['foundation/lib'] = said['foundation/lib'].replace(', outbound HTTP', '')
    number = len(present)
    table = ['| Folder | Contents |', '|---|---|']
    for room, folders in present.items():
        table.append(f'| **{room}** | {ROOM_TEXTS[room] if room in ROOM_TEXTS else said[room]} |')
        for folder in folders:
            key = f'{room}/{folder}'
            if key not in said: FAULTS.append(f'{p}: nothing says what {key} is'); continue
            table.append(f'| `{key}` | {said[key]} |')
    intro = ARCHITECTURE_INTRO.replace('NUMBER', decision_number()).replace('SHORT', str(int(decision_number()))).replace('COUNT', {13: 'thirteen', 12: 'twelve'}.get(number, str(number)))
    open(path_of(p), 'w', encoding='utf8').write(text[:start] + intro + '\n'.join(table) + '\n' + text[last:])
    change(p,
        (re.compile(r'`api`, `checkout`, `dashboard` and `commands` are faces:'), '`api`, `checkout`, `dashboard` and `cli` are faces:'),
        (re.compile(r'(started that its user closes; a drill or a bench has a folder per subject, and `pnpm` runs its `main\.ts`\.\n)'), lambda m: m[1] + TEST_ROOMS),
    )
    change('CONTRIBUTING.md',
        (re.compile(r'`pnpm test src/billing/ledger` those of a folder'), '`pnpm test billing/ledger` those of a folder'),
        (re.compile(r'`pnpm test src/billing/ledger -t "minimum"`'), '`pnpm test billing/ledger -t "minimum"`'),
        (re.compile(r'`pnpm test src/foundation/db`'), '`pnpm test foundation/db`'),
        (re.compile(r'`grants\.test\.ts` beside it'), '`apps/server/test/foundation/db/grants.test.ts`'),
        (re.compile(r'that imports only `lib`,(\s+)`networks` and the port'), r'that imports only `lib`,\1`outbound`, `catalog` and the port'),
        (re.compile(r'the faces \(`api`, `checkout`, `commands`\)'), 'the faces (`api`, `checkout`, `dashboard`, `cli`)'),
        (re.compile(r'\*\*Plant a bug\*\*'), lambda m: FOLDER_RECIPE + m[0]),
        (re.compile(r'The folder order is one array in'), 'The order of rooms and folders is in'),
    )
    number = decision_number()
    create(f'docs/decisions/{number}-rooms.md', DECISION.replace('NUMBER', str(int(number))))

def decision_number():
    taken = [int(m[1]) for m in (re.match(r'(\d{4})-(?!rooms)', n) for n in os.listdir(path_of('docs/decisions'))) if m]
    return f'{max(taken) + 1:04d}'

ARCHITECTURE_INTRO = """`apps/server/src` has COUNT rooms with a folder per noun and a file per verb. A file may import its own folder, folders above it
in its room, and rooms above; nothing lies outside of a folder. `apps/server/test/project/folder-order.ts` has this order, and
tests enforce it ([decision SHORT](docs/decisions/NUMBER-rooms.md)):

"""
ROOM_TEXTS = {
    'foundation': 'what every room may use, without knowledge of the domain',
    'networks': 'what can be paid on, and how it is read',
    'billing': 'what merchants pay for the service',
    'tenants': 'merchants, their users and stores, and where they receive',
    'pricing': 'how much to pay in which token',
    'detection': 'what arrived on networks and exchanges; knows no invoices',
    'webhooks': 'what merchants are notified of by HTTP',
    'invoices': 'the core',
    'reports': 'what members read, download and are notified of',
    'operations': 'what operators set, watch and check',
    'interfaces': 'all ways in: HTTP and the command line',
}
ROW_TEXTS = {
    'foundation/outbound': 'HTTP to other servers, which refuses private IP addresses and bounds time and size',
    'detection/addresses': 'following single addresses, for networks that are read this way (Solana): schedule, cursor, coverage',
    'detection/statements': 'following statements of exchange accounts',
    'webhooks/events': 'events: facts that a merchant is notified of',
    'webhooks/delivery': 'deliveries, attempts, signature, trust in receivers, redelivery',
    'invoices/lifecycle': 'create, look up, select, match, settle, expire',
    'invoices/unmatched': 'transfers that pay no invoice: attach, dismiss, explain; transactions submitted by their hash',
    'invoices/lists': 'lists and search of invoices in the stores that a member may see',
    'invoices/timeline': 'everything that happened to an invoice, in order',
    'operations/monitoring': 'metrics of the processes, and the heartbeat',
    'processes': '`main-*.ts` and `cli.ts`, which only wire, and the lists of loops of a worker',
}
TEST_ROOMS = """
`test` and `rig` have the same rooms, and `project` for what concerns the repository as a whole: its order, documents, bundles,
planted bugs and earlier versions. A pure test of the source is beside its file, every other test in `test/<room>`.
"""
FOLDER_RECIPE = """**Add a folder.** Its place in its room in `apps/server/test/project/folder-order.ts`, and a row in the table of ARCHITECTURE.
Must go green: `pnpm test:pure project`

"""
DECISION = """# NUMBER. The source has rooms

**Context.** `apps/server/src` had 37 folders and 13 loose files beside each other, in an order that a test enforced. A newcomer could not guess
which of `accounts`, `platforms` and `sources` reads an exchange, nor where a test is: folders of `test` and `rig` had other names than those of `src`.

**Decision.** Thirteen rooms, in one order, hold the folders: a file imports its own folder, folders above it in its room, and rooms above. Two tests
enforce it, and a third that no file is outside of a folder. `test` and `rig` have the same rooms. Pure tests are beside their file; every other test is in
`test/<room>`, and what concerns the repository as a whole is in `test/project`.

- Folders have the field's word: `exchanges` (were `platforms`), `nodes` (`sources`), `catalog` (`networks`), `payment-methods` (`wallets`), `users`
  (`people`), `email`, `notifications`, `daily-figures`, `cli`. `accounts` was two things: `addresses` (Solana) and `statements` (exchange accounts).
- Payment methods are in `tenants`: owners add and lock them like keys and members, and the recovery of an account locks them. So `tenants` is all that a
  merchant sets up, and `pricing` what is computed when a customer pays.
- Metrics are in `operations/monitoring` and not in `http`: they read what they count, and no transport.
- The tables of `invoices` and `webhooks` belong to their rooms. Splitting a table from the statements that change it together would buy nothing.
- Programs are started by name: `deploy/counterfoil` in the image, `bin/counterfoil` from the source. Units, compose, manifests and scripts name no source file.
- Tools that look into other versions (`pnpm test:earlier`, `pnpm drill upgrade`) know both layouts: `apps/server/rig/project/versions/places.ts`.

**Consequences.** Imports are one folder longer. `git log --follow` shows the history of a moved file.
"""

def apply(root, tree):
    global ROOT
    ROOT = root
    present = folders_present()
    order(present); house(); owners(); moved_tests(); shape(); programs(); versions(); tools(); documents(present)
    for fault in FAULTS: print('edit:', fault)
    if FAULTS: fail(f'{len(FAULTS)} edits do not fit')
