import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Person, Visitor } from '../lib/actor.ts';
import type { SignedIn } from '../people/resume-session.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { readInput, requireSignedIn, visitorOf } from './signed-in-request.ts';

/** Routes of the dashboard as data: who may call them, what they take, and which verb they call. */

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

type Description<Body extends z.ZodType> = {
  method: Method;
  url: string;
  summary: string;
  /** What the request's body must be; a route without one takes no body. */
  body?: Body;
};

type Called<Body> = {
  context: DashboardContext;
  request: FastifyRequest;
  reply: FastifyReply;
  input: Body;
  /** The parts of the path that the route names. */
  path: Readonly<Record<string, string>>;
};

export type DashboardRoute = Description<z.ZodType> & {
  /** Whether the caller must be signed in. */
  access: 'visitor' | 'person';
  handle: (context: DashboardContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
};

function calledWith<Body extends z.ZodType>(
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body | undefined,
): Called<z.output<Body>> {
  const input = (body ? readInput(body, request) : undefined) as z.output<Body>;
  return { context, request, reply, input, path: request.params as Record<string, string> };
}

/** A route for people who need not be signed in. */
export function visitorRoute<Body extends z.ZodType>(
  description: Description<Body>,
  answer: (called: Called<z.output<Body>> & { visitor: Visitor }) => Promise<unknown>,
): DashboardRoute {
  return {
    ...description,
    access: 'visitor',
    handle: async (context, request, reply) =>
      answer({ ...calledWith(context, request, reply, description.body), visitor: visitorOf(request) }),
  };
}

/** A route for people who are signed in. Who they are is known before the request's body is looked at. */
export function personRoute<Body extends z.ZodType>(
  description: Description<Body>,
  answer: (called: Called<z.output<Body>> & SignedIn & { person: Person }) => Promise<unknown>,
): DashboardRoute {
  return {
    ...description,
    access: 'person',
    handle: async (context, request, reply) => {
      const signedIn = await requireSignedIn(context, request);
      return answer({ ...calledWith(context, request, reply, description.body), ...signedIn });
    },
  };
}

/** A body without fields: JSON all the same, because a browser asks before another site may send it. */
export const NOTHING = z.strictObject({});

export function registerRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly DashboardRoute[],
): void {
  for (const { method, url, handle } of routes) {
    app.route({
      method,
      url,
      handler: async (request, reply) => ({
        status: 'success',
        data: (await handle(context, request, reply)) ?? {},
      }),
    });
  }
}
