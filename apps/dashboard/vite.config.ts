import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import tailwind from '@tailwindcss/vite';
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

const LOCALE = /\/locales\/[a-z]{2}\/[a-z]+\.ts$/;

/** Compiles the texts of each language while building, so that browsers load no parser of messages. */
function compileWords(): Plugin {
  return {
    name: 'compile-words',
    async transform(_code, id) {
      if (!LOCALE.test(id)) return undefined;
      const { words } = (await import(pathToFileURL(id).href)) as { words: Record<string, string> };
      const compiled = Object.entries(words).map(([key, text]) => [key, compileMessage(text)]);
      return { code: `export const words = ${JSON.stringify(Object.fromEntries(compiled))};`, map: null };
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [compileWords(), tailwind(), compress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Libraries mark their files for servers that render; here everything runs in the browser.
      onwarn: (warning, show) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || show(warning),
    },
    target: ['es2023', 'chrome123', 'safari17.5', 'firefox120'],
  },
});
