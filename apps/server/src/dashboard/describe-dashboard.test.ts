import { expect, test } from 'vitest';
import { describeDashboard } from './describe-dashboard.ts';
import { DASHBOARD_ROUTES } from './routes.ts';

const { paths } = describeDashboard(DASHBOARD_ROUTES);
type Operation = { operationId: string; parameters?: { name: string; in: string }[]; security: unknown[] };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, operation: operation as Operation })),
);

test('every route is described once, by a name of its own', () => {
  expect(operations).toHaveLength(DASHBOARD_ROUTES.length);
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

test('every part of a path that varies is a parameter', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name);
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(named);
    expect(path).not.toContain(':');
  }
});

test('routes for people who are signed in say so', () => {
  const open = operations.filter(({ operation }) => operation.security.length === 0).length;
  expect(open).toBe(DASHBOARD_ROUTES.filter(({ access }) => access === 'visitor').length);
});

test('no route takes the token of a link in its address', () => {
  const named = DASHBOARD_ROUTES.filter(({ url }) => /token/i.test(url));
  expect(named).toEqual([]);
});
