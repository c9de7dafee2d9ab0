import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RequestBody } from '../api/request-body.ts';
import { actAs } from '../db/act-as.ts';
import type { Person, Visitor } from '../lib/actor.ts';
import type { Release } from '../lib/lanes.ts';
import { isLink } from '../people/link-sql.ts';
import type { OperatorRight } from '../people/require-operator.ts';
import { requireOperator } from '../people/require-operator.ts';
import type { SignedIn } from '../people/resume-session.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { DashboardError } from './dashboard-error.ts';
import { linkHashOf } from './link-field.ts';
import { afterLostAccess } from './lost-access.ts';
import type { RequestKind, RequestLanes } from './request-lanes.ts';
import { enterAsPerson, enterAsVisitor, enterByLink, lookUpInLane } from './request-lanes.ts';
import { readInput, readPath, readQuery, requireSignedIn, tokenOf, visitorOf } from './signed-in-request.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

type Description<Body extends z.ZodType, Query extends z.ZodType = z.ZodType> = {
  method: Method;
  url: string;
  summary: string;
  /** Schema of the body; routes without one take none. */
  body?: Body;
  /** Largest body, if more than usual. */
  maxBodyBytes?: number;
  /** Schema of the query; routes without one take none. */
  query?: Query;
  /** Sends the answer without the `status` and `data` envelope. */
  raw?: true;
  /** Media type of a streamed raw answer; JSON otherwise. */
  media?: 'text/csv';
  /** Whether the body has a link's token, which admits the request if the link exists. */
  byLink?: true;
  /** Why a request stays open; it is then counted separately from short ones. */
  held?: Exclude<RequestKind, 'short'>;
};

type Called<Body, Query> = {
  context: DashboardContext;
  request: FastifyRequest;
  reply: FastifyReply;
  input: Body;
  query: Query;
  path: Readonly<Record<string, string>>;
};

type Handler<Known extends unknown[]> = (
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ...known: Known
) => Promise<unknown>;

/** `access`: whether sign-in is required. `right`: the required staff permission. */
export type DashboardRoute = Description<z.ZodType> & { right?: OperatorRight } & (
    | { access: 'visitor'; handle: Handler<[]> }
    | { access: 'person'; handle: Handler<[SignedIn]> }
  );

/** An empty body is JSON too: browsers preflight it before another site may send it. */
export const NOTHING = z.strictObject({});

type Received = Pick<Called<never, never>, 'context' | 'request' | 'reply'> & { personId?: bigint };

/** Input of a route. Row security limits its queries to the rows of the user and of the link in the body. */
function calledWith<Body extends z.ZodType, Query extends z.ZodType>(
  { context, request, reply, personId }: Received,
  description: Pick<Description<Body, Query>, 'body' | 'query'>,
): Called<z.output<Body>, z.output<Query>> {
  const input = (description.body ? readInput(description.body, request) : undefined) as z.output<Body>;
  const query = readQuery(description.query ?? NOTHING, request) as z.output<Query>;
  const scope = { personId, linkHash: linkHashOf(input) };
  const scoped = {
    ...context,
    database: actAs(context.database, scope, { prepared: true }),
    views: actAs(context.views, scope, { prepared: false }),
  };
  return { context: scoped, request, reply, input, query, path: readPath(request) };
}

function namedBy({ path, input }: Pick<Called<unknown, unknown>, 'path' | 'input'>) {
  const { account } = (input ?? {}) as { account?: unknown };
  return { account: path['account'] ?? (typeof account === 'string' ? account : undefined), store: path['store'] };
}

/** A route without required sign-in. */
export function visitorRoute<Body extends z.ZodType, Query extends z.ZodType>(
  description: Description<Body, Query>,
  answer: (called: Called<z.output<Body>, z.output<Query>> & { visitor: Visitor }) => Promise<unknown>,
): DashboardRoute {
  return {
    ...description,
    access: 'visitor',
    handle: async (context, request, reply) =>
      answer({ ...calledWith({ context, request, reply }, description), visitor: visitorOf(context, request) }),
  };
}

type PersonAnswer<Body extends z.ZodType, Query extends z.ZodType> = (
  called: Called<z.output<Body>, z.output<Query>> & SignedIn & { person: Person },
) => Promise<unknown>;

/** A route for signed-in users, who are identified before the body is read. */
export function personRoute<Body extends z.ZodType, Query extends z.ZodType>(
  description: Description<Body, Query> & { right?: OperatorRight },
  answer: PersonAnswer<Body, Query>,
): DashboardRoute {
  return {
    ...description,
    access: 'person',
    handle: async (context, request, reply, signedIn) => {
      if (description.right !== undefined) requireOperator(signedIn.person, description.right);
      const { person } = signedIn;
      const called = calledWith({ context, request, reply, personId: person.id }, description);
      try {
        return await answer({ ...called, ...signedIn });
      } catch (cause) {
        throw await afterLostAccess(called.context, person, { named: namedBy(called), cause });
      }
    },
  };
}

/** A route for staff. Support may only read; operators may make changes. */
export const operatorRoute = <Body extends z.ZodType, Query extends z.ZodType>(
  description: Description<Body, Query> & { right: OperatorRight },
  answer: PersonAnswer<Body, Query>,
): DashboardRoute => personRoute(description, answer);

/** Admits a request without a user. An existing link is not refused because of other requests from its address. */
function admitVisitor(
  lanes: RequestLanes,
  { byLink }: DashboardRoute,
  [{ database }, { ip, body }]: [DashboardContext, FastifyRequest],
): Promise<Release> {
  const sent = body as RequestBody | undefined;
  const hash = byLink && sent && 'value' in sent ? linkHashOf(sent.value) : undefined;
  if (!hash) return enterAsVisitor(lanes, ip);
  const { queries } = actAs(database, { linkHash: hash }, { prepared: true });
  return enterByLink(lanes, { hash, ip }, () => isLink(queries, hash));
}

type Admitted = { handled: Promise<unknown>; release: Release };

/** Admits a request to its lanes and calls its route. */
async function admit(
  lanes: RequestLanes,
  route: DashboardRoute,
  [context, request, reply]: [DashboardContext, FastifyRequest, FastifyReply],
): Promise<Admitted> {
  const { ip } = request;
  if (route.access === 'visitor') {
    const release = await admitVisitor(lanes, route, [context, request]);
    return { handled: route.handle(context, request, reply), release };
  }
  const token = tokenOf(context, request);
  if (token === undefined) throw new DashboardError('NOT_SIGNED_IN');
  const lookUp = () => requireSignedIn(context, request);
  const found = await lookUpInLane(lanes, { token, ip }, lookUp);
  const { release, hasWaited } = await enterAsPerson(lanes, {
    personId: found.person.id,
    ip,
    kind: route.held ?? 'short',
  });
  try {
    // The session can have ended while the request waited.
    const signedIn = hasWaited ? await lookUp() : found;
    return { handled: route.handle(context, request, reply, signedIn), release };
  } catch (cause) {
    release();
    throw cause;
  }
}

/** Calls a function when the answer was sent or the connection closed. */
function onceClosed({ raw }: FastifyReply, call: () => void): void {
  if (raw.closed) call();
  else raw.once('close', call);
}

export function registerRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly DashboardRoute[],
  lanes: RequestLanes,
): void {
  for (const route of routes) {
    const { method, url, raw, maxBodyBytes, held } = route;
    app.route({
      method,
      url,
      ...(maxBodyBytes !== undefined && { bodyLimit: maxBodyBytes }),
      handler: async (request, reply) => {
        const { handled, release } = await admit(lanes, route, [context, request, reply]);
        try {
          const data = (await handled) ?? {};
          if (reply.sent) return reply;
          return raw ? data : { status: 'success', data };
        } finally {
          if (held) onceClosed(reply, release);
          else release();
        }
      },
    });
  }
}
