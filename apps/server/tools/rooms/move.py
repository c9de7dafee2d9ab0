#!/usr/bin/env python3
"""python3 move.py ROOT: moves today's layout of a clean tree into rooms."""
import os, re, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import *
from paths import *

def read(path):
    with open(path, encoding='utf8') as f: return f.read()
def write(path, text):
    with open(path, 'w', encoding='utf8') as f: f.write(text)

def main():
    root = os.path.abspath(sys.argv[1])
    if os.path.isdir(f'{root}/{SERVER}/src/processes'): fail('this tree has rooms already')
    if subprocess.check_output(['git', '-C', root, 'status', '--porcelain'], text=True).strip(): fail('the tree is not clean')
    tree = Tree(root)
    rewriter = Rewriter(tree)
    texts = {}
    for p in tree.files:
        full = os.path.join(root, p)
        if BINARY.search(p) or p in SKIP_TEXT or os.path.islink(full): continue
        try: text = read(full)
        except UnicodeDecodeError: continue
        changed = rewriter.rewrite(text, p, tree.map.get(p, p))
        if changed != text: texts[p] = changed
    for p, text in texts.items(): write(os.path.join(root, p), text)
    for p, n in tree.map.items():
        os.makedirs(os.path.dirname(os.path.join(root, n)), exist_ok=True)
        os.rename(os.path.join(root, p), os.path.join(root, n))
    for d in sorted(tree.dirs - tree.newdirs, key=len, reverse=True):
        full = os.path.join(root, d)
        if os.path.isdir(full) and not os.listdir(full): os.rmdir(full)
    print(f'{len(tree.map)} files moved, {len(texts)} rewritten')
    for note in sorted(tree.notes): print('several places, named by the main one:', note)
    for guess in rewriter.guesses: print('guess:', guess)
    import edits
    edits.apply(root, tree)
    subprocess.run(['git', '-C', root, 'add', '-A'], check=True)
    subprocess.run([f'{root}/bin/toolchain/node_modules/.bin/node', f'{root}/node_modules/oxfmt/bin/oxfmt', root], check=True, cwd=root)
    subprocess.run(['git', '-C', root, 'add', '-A'], check=True)
    import verify
    verify.run(root, tree)

main()
