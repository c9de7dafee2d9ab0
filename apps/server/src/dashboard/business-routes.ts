import { z } from 'zod';
import { mayRegister } from '../people/registration.ts';
import { openBusiness } from './open-business.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute, visitorRoute } from './route.ts';

/** Routes for users who open a business of their own. */

const MAX_NAME = 255;
const name = z.string().trim().min(1).max(MAX_NAME);
const businessBody = z.strictObject({ name, store: name });

export const businessRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    { method: 'GET', url: '/registration', summary: 'Whether users can sign up on their own' },
    async ({ context }) => ({ sign_up: mayRegister(context.registration, 'sign-up') }),
  ),
  personRoute(
    { method: 'POST', url: '/accounts', summary: 'Open a business with a first test store', body: businessBody },
    async ({ context, person, input }) => {
      const opened = await openBusiness(context, person, { name: input.name, storeName: input.store });
      return { account: opened.merchantCode, merchant_id: opened.merchantId };
    },
  ),
];
