import type { Page } from 'playwright-core';

/** A picture of a page in some state. */
export type Shot = { name: string; path: string; before?: (page: Page) => Promise<void> };
