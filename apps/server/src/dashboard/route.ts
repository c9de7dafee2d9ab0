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

/** Routes of the dashboard as data: who may call them, what they take, and which verb they call. */

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

type Description<Body extends z.ZodType, Query extends z.ZodType = z.ZodType> = {
  method: Method;
  url: string;
  summary: string;
  /** What the request's body must be; a route without one takes no body. */
  body?: Body;
  /** How many bytes the body may have, where that is more than usual. */
  maxBodyBytes?: number;
  /** What may be asked for in the query of the address; a route without one takes none. */
  query?: Query;
  /** Whether the answer is sent as it is, without `status` and `data` around it. */
  raw?: true;
  /** The media type of a raw answer that is a stream; without it, answers are JSON. */
  media?: 'text/csv';
  /** Whether the body has the token of a link, which admits the request if the link exists. */
  byLink?: true;
  /** What keeps a request open for seconds or minutes; it is then counted apart from short requests. */
  held?: Exclude<RequestKind, 'short'>;
};

type Called<Body, Query> = {
  context: DashboardContext;
  request: FastifyRequest;
  reply: FastifyReply;
  input: Body;
  query: Query;
  /** The parts of the path that the route names. */
  path: Readonly<Record<string, string>>;
};

type Handler<Known extends unknown[]> = (
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ...known: Known
) => Promise<unknown>;

/**
 * `access` says whether the caller must be signed in, `right` what they must be allowed to do as one of the people who
 * run the service.
 */
export type DashboardRoute = Description<z.ZodType> & { right?: OperatorRight } & (
    | { access: 'visitor'; handle: Handler<[]> }
    | { access: 'person'; handle: Handler<[SignedIn]> }
  );

/** A body without fields: JSON all the same, because a browser asks before another site may send it. */
export const NOTHING = z.strictObject({});

type Received = Pick<Called<never, never>, 'context' | 'request' | 'reply'> & { personId?: bigint };

/** Input of a route. Row security limits its queries to the rows of the signed-in user and of the link in the body. */
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

/** The merchant and the store that a request names, in its path or, where the path is that of the user, in its body. */
function namedBy({ path, input }: Pick<Called<unknown, unknown>, 'path' | 'input'>) {
  const { account } = (input ?? {}) as { account?: unknown };
  return { account: path['account'] ?? (typeof account === 'string' ? account : undefined), store: path['store'] };
}

/** A route for people who need not be signed in. */
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

/** A route for people who are signed in. Who they are is known before the request's body is looked at. */
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

/** A route for people who run the service. Support may see and look; only operators may change anything. */
export const operatorRoute = <Body extends z.ZodType, Query extends z.ZodType>(
  description: Description<Body, Query> & { right: OperatorRight },
  answer: PersonAnswer<Body, Query>,
): DashboardRoute => personRoute(description, answer);

/** Admits a request that names no user. A link that exists is not refused because of other requests from its address. */
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

/** Admits a request to its lanes and hands it to its route. */
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

/** Calls a function when the answer was sent or its connection closed. */
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
