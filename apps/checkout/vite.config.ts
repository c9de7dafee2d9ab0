import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

/** Leaves .gz and .br next to every file, so that the server compresses nothing while it serves. */
function compress(): Plugin {
  return {
    name: 'compress',
    writeBundle(options, bundle) {
      for (const output of Object.values(bundle)) {
        const content = output.type === 'chunk' ? output.code : output.source;
        const path = join(options.dir ?? '', output.fileName);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [compress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    modulePreload: false,
    target: ['es2022', 'chrome105', 'safari16', 'firefox110'],
    rolldownOptions: { input: ['src/hydrate-page.ts', 'src/sandbox-panel.ts'] },
  },
});
