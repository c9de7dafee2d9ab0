import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** Folder of the server's package, whether its code runs from `src` or from a bundle. */
export const SERVER_FOLDER = dirname(findPackageJSON(import.meta.url) ?? '');
