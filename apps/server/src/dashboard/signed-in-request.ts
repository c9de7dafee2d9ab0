import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RequestBody } from '../api/request-body.ts';
import type { Visitor } from '../lib/actor.ts';
import type { SignedIn } from '../people/resume-session.ts';
import { resumeSession } from '../people/resume-session.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { DashboardError } from './dashboard-error.ts';
import { isOwnRequest } from './own-request.ts';
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts';

/** What every route of the dashboard asks of a request before it calls a verb. */

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** The sender of a request who need not be signed in. */
export function visitorOf(request: FastifyRequest): Visitor {
  return { kind: 'visitor', address: request.ip, agent: request.headers['user-agent'] ?? '' };
}

/** Refuses a request that changes something and was made by another site's page. */
export function requireOwnRequest({ dashboardUrl }: DashboardContext, request: FastifyRequest): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  const secFetchSite = Array.isArray(site) ? site.join(', ') : site;
  if (!isOwnRequest({ secFetchSite, origin: headers.origin }, dashboardUrl))
    throw new DashboardError('FOREIGN_REQUEST');
}

export function tokenOf({ dashboardUrl }: DashboardContext, request: FastifyRequest): string | undefined {
  return readSessionCookie(dashboardUrl, request.headers.cookie);
}

/** The person who sent a request; refuses a request without a session that lasts. */
export async function requireSignedIn(context: DashboardContext, request: FastifyRequest): Promise<SignedIn> {
  const token = tokenOf(context, request);
  const signedIn = token === undefined ? undefined : await resumeSession(context, visitorOf(request), token);
  if (!signedIn) throw new DashboardError('NOT_SIGNED_IN');
  return signedIn;
}

/** Gives the browser a new token, in place of the one that it had. */
export function giveToken({ dashboardUrl }: DashboardContext, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', writeSessionCookie(dashboardUrl, token));
}

/** Parses a request's body; refuses what is no JSON, and fields that the schema does not name. */
export function readInput<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const body = request.body as RequestBody | undefined;
  if (body && 'fault' in body && body.fault === 'too-large') throw new DashboardError('PAYLOAD_TOO_LARGE');
  if (!body || ('fault' in body && body.fault === 'unsupported')) throw new DashboardError('UNSUPPORTED_MEDIA_TYPE');
  const parsed = schema.safeParse('fault' in body ? undefined : body.value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ field: String(path[0] ?? 'body'), message }));
  throw new DashboardError('VALIDATION_ERROR', { details: { errors } });
}
