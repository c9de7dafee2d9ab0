"""Maps old paths to new ones, and rewrites the paths in a text."""
import fnmatch, os, re, subprocess, sys, json
from table import *

SERVER = 'apps/server'
BINARY = re.compile(r'\.(png|jpg|jpeg|webp|gif|ico|woff2?|zip|gz|pdf|avif)$')
# The folder of these scripts, which name old places.
OWN = 'apps/server/tools/rooms/'
SKIP_TEXT = {'pnpm-lock.yaml', 'bin/toolchain/package-lock.json'}

def fail(*words):
    print('move: ' + ' '.join(words), file=sys.stderr); sys.exit(1)

def matches(name, pattern):
    """Braces with alternatives."""
    m = re.fullmatch(r'(.*?)\{([^}]*)\}(.*)', pattern)
    if m: return any(fnmatch.fnmatch(name, m[1] + one + m[3]) for one in m[2].split(','))
    return fnmatch.fnmatch(name, pattern)

def target_of(rows, rest):
    name = rest.split('/')[0] if '/' in rest else rest
    for pattern, target in rows:
        if matches(name, pattern): return target
    return None

class Tree:
    def __init__(self, root):
        self.root = root
        out = subprocess.check_output(['git', '-C', root, 'ls-files', '-z'], text=True)
        self.files = [p for p in out.split('\0') if p and not p.startswith(OWN) and os.path.lexists(os.path.join(root, p))]
        self.fileset = set(self.files)
        self.dirs = {''}
        for p in self.files:
            d = os.path.dirname(p)
            while d and d not in self.dirs:
                self.dirs.add(d); d = os.path.dirname(d)
        self.notes = set()
        impure = self.impure()
        self.map = {}
        unknown = set()
        for p in self.files:
            n = self.place(p, impure, unknown)
            if n != p: self.map[p] = n
        if unknown: fail('no room is known for:', ', '.join(sorted(unknown)), '(add a line to table.py)')
        news = {}
        for p in self.files:
            n = self.map.get(p, p)
            if n in news: fail(f'{p} and {news[n]} would both become {n}')
            news[n] = p
        self.newset = set(news)
        self.newdirs = {''}
        for p in self.newset:
            d = os.path.dirname(p)
            while d and d not in self.newdirs:
                self.newdirs.add(d); d = os.path.dirname(d)
        self.dirmap = {}

    def impure(self):
        code = "import { findPureTests } from './tools/find-pure-tests.ts'; console.log(JSON.stringify(findPureTests(process.cwd())))"
        out = subprocess.check_output([os.path.join(self.root, 'bin/toolchain/node_modules/.bin/node'), '--no-warnings', '--input-type=module', '-e', code], cwd=os.path.join(self.root, SERVER), text=True)
        pure = {f'{SERVER}/{p}' for p in json.loads(out)}
        return {p for p in self.files if p.startswith(f'{SERVER}/src/') and p.endswith('.test.ts') and p not in pure}

    def place(self, p, impure, unknown):
        m = re.match(r'apps/server/(src|test|rig)/(.+)$', p)
        if not m: return p
        kind, rest = m[1], m[2]
        table = {'src': SRC, 'test': TEST, 'rig': RIG}[kind]
        if '/' not in rest:
            if kind == 'src': return f'{SERVER}/src/{LOOSE}/{rest}'
            if kind == 'test':
                t = target_of(TEST_LOOSE, rest)
                return f'{SERVER}/test/{t}/{rest}' if t else p
            unknown.add(p); return p
        folder, inner = rest.split('/', 1)
        if folder not in table: unknown.add(f'{kind}/{folder}'); return p
        t = target_of(table[folder], inner)
        if t is None: unknown.add(p); return p
        if p in impure: kind = 'test'
        return f'{SERVER}/{kind}/{t}/{inner}'

    def map_dir(self, d):
        """New place of a folder; None when its files go to several."""
        if d in self.dirmap: return self.dirmap[d]
        targets = set()
        for p in self.files:
            if p.startswith(d + '/') and not p.endswith('.test.ts' if d.startswith(f'{SERVER}/src') else '\0'):
                n = self.map.get(p, p); rest = p[len(d):]
                targets.add(n[:-len(rest)] if n.endswith(rest) else None)
        result = targets.pop() if len(targets) == 1 else None
        if result is None:
            # The place of most files, by the last row of the table.
            m = re.match(r'apps/server/(src|test|rig)/([^/]+)$', d)
            if m:
                rows = {'src': SRC, 'test': TEST, 'rig': RIG}[m[1]].get(m[2])
                if rows:
                    result = f'{SERVER}/{m[1]}/{rows[-1][1]}'
                    self.notes.add(d)
            elif d in (f'{SERVER}/src', f'{SERVER}/test', f'{SERVER}/rig', SERVER, 'apps', ''): result = d
        self.dirmap[d] = result
        return result

    def map_any(self, p):
        """New place of a file, folder, or beginning of file names; None for what is nothing of these."""
        p = os.path.normpath(p) if p else ''
        if p == '.': p = ''
        if p in self.fileset: return self.map.get(p, p)
        if p in self.dirs: return self.map_dir(p)
        if '/' in p and os.path.dirname(p) in self.dirs and re.match(r'apps/server/(src|test|rig)/.', p):
            own = [q for q in self.files if q.startswith(p) and '/' not in q[len(p):]]
            heads = {os.path.dirname(self.map.get(q, q)) for q in own}
            if len(heads) == 1: return f'{heads.pop()}/{os.path.basename(p)}'
        return None

TOKEN = re.compile(r"(?:(?<![\w.@/-])\.{1,2}(?:/\.\.)*(?=['\"`])|(?:\.{1,2}/|[\w@][\w@.-]*/)[\w@./-]*)")

class Rewriter:
    def __init__(self, tree):
        self.tree = tree
        self.guesses = []

    def relative(self, token, old, new, line):
        tree = self.tree
        # In code a path is relative to its file only in an import, or beside import.meta; else it is relative to a constant.
        if old.endswith(('.ts', '.tsx', '.mjs')) and 'import.meta' not in line:
            if not re.search(r"(from|import\(|^\s*import)\s*['\"]" + re.escape(token), line):
                target = os.path.normpath(os.path.join(os.path.dirname(old), token))
                if '../' in token and tree.map_any(target) not in (None, target if old == new else None): self.guesses.append(f'left alone in {old}: {line.strip()[:100]}')
                return None
        slash = token.endswith('/')
        target = os.path.normpath(os.path.join(os.path.dirname(old), token))
        if target.startswith('..'): return None
        if target == '.': target = ''
        inner = re.match(r'^\.{1,2}(/\.\.)*$', token) is not None
        if inner and 'import.meta' not in line: return None
        to = tree.map_any(target)
        if to is None:
            if old == new or not token.startswith('..'): return None
            if not os.path.lexists(os.path.join(tree.root, target)) and 'import.meta' not in line and not re.search(r"(from|import\()\s*'" + re.escape(token), line):
                return None
            to = target
            if not os.path.lexists(os.path.join(tree.root, target)): self.guesses.append(f'{old}: {token} (no such file)')
        if old == new and to == target: return None
        here = os.path.dirname(new)
        rel = os.path.relpath(to or '.', here or '.')
        if not rel.startswith('.') and token.startswith('.'): rel = './' + rel
        return rel + ('/' if slash else '')

    def rooted(self, token, old, before, after):
        tree = self.tree
        m = re.search(r'(?:^|/)(apps/server(?:/[\w@.-]+)*)(/?)$', token)
        tail = ''
        if 'apps/server/' in token:
            start = token.index('apps/server/')
            path = token[start:]
            # Sentences end with a full stop.
            stripped = path.rstrip('./'); tail = path[len(stripped):]
            to = tree.map_any(stripped)
            if to is not None and to != stripped: return token[:start] + to + tail
            return None
        if before == '/': return None
        if re.match(r'(src|test|rig)/', token) and not re.match(r'(apps/(checkout|dashboard)|packages|docs/images)/', old):
            stripped = token.rstrip('./'); tail = token[len(stripped):]
            to = tree.map_any(f'{SERVER}/{stripped}')
            if to is not None and to != f'{SERVER}/{stripped}': return to[len(SERVER) + 1:] + tail
            return None
        # Below src, as tests of the tree name files.
        stripped = token.rstrip('./'); tail = token[len(stripped):]
        if re.match(r'[a-z-]+/', token) and f'{SERVER}/src/{stripped}' in tree.fileset and not re.match(r'(apps/(checkout|dashboard)|packages)/', old):
            to = tree.map_any(f'{SERVER}/src/{stripped}')
            if to.startswith(f'{SERVER}/src/'): return to[len(SERVER) + 5:] + tail
            return to[len(SERVER) + 1:] + tail
        # A file without its ending, as labels of statements name it.
        if before in ('\'', '"', '`') and re.match(r' [a-z]\w+', after) and old.endswith('.ts') and re.fullmatch(r'[a-z-]+/[a-z/-]+', token) and f'{SERVER}/src/{token}.ts' in tree.fileset and not re.match(r'(apps/(checkout|dashboard)|packages)/', old):
            return tree.map_any(f'{SERVER}/src/{token}.ts')[len(SERVER) + 5:-3]
        return None

    def rewrite(self, text, old, new):
        out = []
        rows = old.startswith('apps/server/drills/mutants/rows/')
        edited = None
        for line in text.split('\n'):
            found = re.search(r"\bfile: '([^']+)'", line)
            if rows and found: edited = os.path.normpath(os.path.join(SERVER, found[1]))
            def swap(m):
                token = m[0]
                before = line[m.start() - 1] if m.start() else ''
                if token.startswith('.'):
                    if before and (before.isalnum() or before in '/_-'): return token
                    if rows and edited and re.search(r"(from|import\()\s*['\"]" + re.escape(token), line):
                        return self.relative(token, edited, self.tree.map.get(edited, edited), line) or token
                    return self.relative(token, old, new, line) or token
                return self.rooted(token, old, before, line[m.end():]) or token
            out.append(TOKEN.sub(swap, line))
        return '\n'.join(out)
