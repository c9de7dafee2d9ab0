import { PANEL_ASKS } from '@counterfoil/checkout/render-page';
import { expect, test } from 'vitest';
import { panelPlan } from './panel-plan.ts';

test.each(PANEL_ASKS)('the button %s has a plan', (ask) => {
  expect(panelPlan(ask)?.length).toBeGreaterThan(0);
});

test.each(['', 'constructor', '__proto__', 'win'])('%j is no button', (ask) => {
  expect(panelPlan(ask)).toBeUndefined();
});
