#!/usr/bin/env python3
"""python3 names.py ROOT [--only STEP,STEP] [--without STEP,STEP]: renames, one step after the other, in a clean moved tree."""
import os, re, subprocess, sys
BINARY = re.compile(r'\.(png|jpg|jpeg|webp|gif|ico|woff2?|zip|gz|pdf|avif)$')
# Never touched: released SQL, generated or public documents, locks, history.
NEVER = re.compile(r'(^|/)(pnpm-lock\.yaml|package-lock\.json|schema\.sql|tables\.ts|openapi(-sandbox|-dashboard)?\.json|reference\.html|CHANGELOG\.md)$|/migrations/|^apps/dashboard/src/generated/|^examples/|^deploy/')
CODE = r'^(apps|e2e|packages)/.*\.(ts|tsx|mjs)$'
SERVER_CODE = r'^apps/server/.*\.ts$'

STEPS = {
    # A store's code is called storeCode; merchant_id remains at the public edge only.
    'store-code': [
        (CODE, r'\bmerchantIds\b', 'storeCodes'),
        (CODE, r'\bmerchantId\b', 'storeCode'),
    ],
    # A merchant's number is called merchantId.
    'merchant-id': [
        (CODE, r'\bmerchantAccountId\b', 'merchantId'),
        (CODE, r'\bmerchantAccountIds\b', 'merchantIds'),
    ],
    # Routes of the dashboard's API.
    'merchants-route': [
        (r'^(apps/(server/(src/interfaces|test|rig|benches|drills|demo)|dashboard)|e2e)/.*\.(ts|tsx)$', r'/accounts/:account\b', '/merchants/:merchant'),
        (r'^(apps/(server/(src/interfaces|test|rig|benches|drills|demo)|dashboard)|e2e)/.*\.(ts|tsx)$', r'/accounts/\{account\}', '/merchants/{merchant}'),
        (r'^(apps/server/(test|rig|benches|drills|demo)/(?!networks/)|apps/dashboard/|e2e/).*\.(ts|tsx)$', r'(?:(?<=/api/dashboard)|(?<![\w}]))/accounts/(?=\$\{)', '/merchants/'),
        (r'^apps/server/test/.*\.ts$', r"'/accounts/(?=(ACC|MID)-)", "'/merchants/"),
        (r'^apps/server/(src/interfaces/dashboard|test/tenants|test/interfaces/dashboard)/.*\.ts$', r"path\['account'\]", "path['merchant']"),
        (r'^apps/server/(test|rig)/.*\.ts$', r"'(:|\{)account(\}?)'", r"'\1merchant\2'"),
        (r'^apps/dashboard/src/.*\.(ts|tsx)$', r'\bpath: \{ account\b(?!:)', 'path: { merchant: account'),
        (r'^apps/dashboard/src/.*\.(ts|tsx)$', r'\bpath: \{ account:', 'path: { merchant:'),
        (r'^apps/dashboard/src/.*\.(ts|tsx)$', r'\bconst path = \{ account\b(?=[,\s])', 'const path = { merchant: account'),
        (r'^apps/dashboard/src/.*\.(ts|tsx)$', r"'\{account\}'", "'{merchant}'"),
        (r'^docs/sandbox\.md$', r'/accounts/\{account\}', '/merchants/{merchant}'),
    ],
}
# Renames of files: (directory pattern, old name, new name) by step.
FILES = {}

def fail(words): print('names: ' + words, file=sys.stderr); sys.exit(1)

def files(root):
    out = subprocess.check_output(['git', '-C', root, 'ls-files', '-z'], text=True)
    return [p for p in out.split('\0') if p and os.path.isfile(os.path.join(root, p)) and not os.path.islink(os.path.join(root, p))]

def run(root, name):
    rules = [(re.compile(where), re.compile(old), new) for where, old, new in STEPS[name]]
    touched = 0; count = 0
    used = [0] * len(rules)
    for p in files(root):
        if BINARY.search(p) or NEVER.search(p): continue
        own = [(i, old, new) for i, (where, old, new) in enumerate(rules) if where.search(p)]
        if not own: continue
        full = os.path.join(root, p)
        text = before = open(full, encoding='utf8').read()
        for i, old, new in own:
            text, n = old.subn(new, text); count += n; used[i] += n
        if text != before:
            open(full, 'w', encoding='utf8').write(text); touched += 1
    for i, n in enumerate(used):
        print(f'  {STEPS[name][i][1]} -> {STEPS[name][i][2]}: {n}')
    print(f'{name}: {count} places in {touched} files')

def main():
    root = os.path.abspath(sys.argv[1])
    if not os.path.isdir(f'{root}/apps/server/src/processes'): fail('move the tree first')
    if subprocess.check_output(['git', '-C', root, 'status', '--porcelain'], text=True).strip(): fail('the tree is not clean')
    names = list(STEPS)
    for flag in sys.argv[2:]:
        if flag.startswith('--only='): names = [n for n in names if n in flag[7:].split(',')]
        if flag.startswith('--without='): names = [n for n in names if n not in flag[10:].split(',')]
    if 'merchant-id' in names and 'store-code' not in names:
        have = subprocess.run(['git', '-C', root, 'grep', '-qE', r'\bstoreCode\b', '--', 'apps/server/src/tenants'], check=False).returncode
        if have != 0: fail('merchant-id needs store-code before it: the old name would mean two things')
    for name in names: run(root, name)
    node = f'{root}/bin/toolchain/node_modules/.bin/node'
    subprocess.run([node, f'{root}/node_modules/oxfmt/bin/oxfmt', root], check=True, cwd=root)

main()
