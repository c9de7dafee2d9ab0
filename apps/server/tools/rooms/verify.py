"""After the move: no reference may lead to an old place."""
import os, re, subprocess
from paths import *

# Files that name old places on purpose: versions from before the rooms.
ON_PURPOSE = {
    'apps/server/rig/project/versions/places.ts', 'apps/server/tools/test-earlier-version.ts',
    'docs/decisions/ROOMS', 'CHANGELOG.md',
}

def run(root, tree, strict=True):
    faults = []
    out = subprocess.check_output(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], text=True)
    files = [p for p in out.split('\0') if p and not p.startswith(OWN) and os.path.lexists(os.path.join(root, p))]
    present = set(files)
    dirs = set()
    for p in files:
        d = os.path.dirname(p)
        while d and d not in dirs: dirs.add(d); d = os.path.dirname(d)
    exists = lambda p: p in present or p in dirs or os.path.lexists(os.path.join(root, p))
    def prefix(p): return any(q.startswith(p) for q in files) if '/' in p else False
    for p in files:
        full = os.path.join(root, p)
        if BINARY.search(p) or p in SKIP_TEXT or os.path.islink(full): continue
        try: text = open(full, encoding='utf8').read()
        except UnicodeDecodeError: continue
        for number, line in enumerate(text.split('\n'), 1):
            for m in re.finditer(r"^(?:import|export|\} from|.*[^'`]import\().*?'(\.[^']+)'", line):
                to = os.path.normpath(os.path.join(os.path.dirname(p), m[1]))
                if p.endswith(('.ts', '.tsx', '.mjs')) and '/mutants/rows/' not in p and not exists(to) and 'import.meta' not in line and not to.endswith('/.test.ts'):
                    faults.append(f'{p}:{number}: import of {m[1]} leads nowhere')
            if p in ON_PURPOSE or any(p.startswith(one) for one in ON_PURPOSE): continue
            for m in TOKEN.finditer(line):
                token = m[0].rstrip('./')
                if token.startswith('.'): continue
                before = line[m.start() - 1] if m.start() else ''
                cands = []
                if 'apps/server/' in token: cands.append(token[token.index('apps/server/'):])
                elif not re.match(r'(apps/(checkout|dashboard)|packages)/', p) and before != '/':
                    if re.match(r'(src|test|rig)/', token): cands.append(f'{SERVER}/{token}')
                    if p.endswith('.ts') and before in ('\'', '"', '`') and re.match(r' [a-z]\w+', line[m.end():]) and '/' in token and f'{SERVER}/src/{token}.ts' in tree.fileset and f'{SERVER}/src/{token}' not in dirs: cands.append(f'{SERVER}/src/{token}.ts')
                    if '/' in token: cands += [f'{SERVER}/{one}/{token}' for one in ('src', 'test', 'rig')]
                for c in cands:
                    if (c in tree.fileset or c in tree.dirs) and not exists(c):
                        faults.append(f'{p}:{number}: {m[0]}   {line.strip()[:110]}')
                        break
    for fault in sorted(set(faults)): print('verify:', fault)
    if faults and strict: fail(f'{len(faults)} references lead to old places')
