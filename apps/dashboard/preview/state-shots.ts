import type { Page } from 'playwright-core';
import type { PageRow, State } from './page-row.ts';
import { STATES } from './page-row.ts';
import { pageRows } from './page-states.ts';
import type { Shot } from './shot.ts';
import { ALL_VIEWS, BOTH_SIZES, TWO_VIEWS } from './shot.ts';
import { goOffline, loseServer } from './weather.ts';
import type { World } from './world.ts';

/** The pictures of the table of pages and states. */

/** Skeletons do not move; a visible title means that the page has loaded. */
const waitForBones = (page: Page): Promise<void> =>
  page.locator('[aria-busy="true"], .bare h1').first().waitFor({ state: 'attached' });

const waitForFailure = (page: Page): Promise<void> => page.getByText('This could not be loaded').first().waitFor();

/** What a state adds to a page, wherever it is seen. */
const ADDED: Partial<Record<State, Partial<Shot>>> = {
  loading: { weather: 'silent', before: waitForBones },
  error: { weather: 'failing', before: waitForFailure },
  stale: { before: loseServer, cut: true },
  offline: { before: goOffline, cut: true },
  locked: { cut: true },
  arabic: { language: 'ar', views: BOTH_SIZES },
};

function shotsOf(name: string, { path, who = 'owner', states }: PageRow): Shot[] {
  const shots: Shot[] = [{ name, path, who, views: ALL_VIEWS }];
  for (const state of STATES) {
    const cell = states[state];
    if (!('why' in cell))
      shots.push({ path, who, views: TWO_VIEWS, ...ADDED[state], ...cell, name: `${name}-${state}` });
  }
  return shots;
}

const isLocked = ({ name }: Shot): boolean => name.endsWith('-locked');

/** All of them but those of a locked account, and those: the lock is for the whole account, and comes last. */
export function stateShots(world: World): { open: Shot[]; locked: Shot[] } {
  const all = Object.entries(pageRows(world)).flatMap(([name, row]) => shotsOf(name, row));
  return { open: all.filter((shot) => !isLocked(shot)), locked: all.filter(isLocked) };
}
