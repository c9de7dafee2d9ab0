import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RequestBody } from '../api/request-body.ts';
import type { Visitor } from '../lib/actor.ts';
import { MAX_ORIGIN_ADDRESS, MAX_ORIGIN_AGENT } from '../lib/actor.ts';
import { isStorableText } from '../lib/text.ts';
import { rememberDevice } from '../people/remember-device.ts';
import type { SignedIn } from '../people/resume-session.ts';
import { resumeSession } from '../people/resume-session.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { DashboardError } from './dashboard-error.ts';
import { isOwnRequest } from './own-request.ts';
import { hashSessionToken } from '../people/session.ts';
import { readDeviceCookie, readSessionCookie, writeDeviceCookie, writeSessionCookie } from './session-cookie.ts';

/** What every route of the dashboard asks of a request before it calls a verb. */

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * The sender of a request who need not be signed in. A sender can name their browser as they like; a name that is too
 * long is cut here, because an event that could not be noted would leave no trace of a guess.
 */
export function visitorOf({ dashboardUrl }: DashboardContext, { ip, headers }: FastifyRequest): Visitor {
  const agent = headers['user-agent'] ?? '';
  const device = readDeviceCookie(dashboardUrl, headers.cookie);
  return {
    kind: 'visitor',
    address: ip.slice(0, MAX_ORIGIN_ADDRESS),
    agent: agent.slice(0, MAX_ORIGIN_AGENT),
    deviceHash: device === undefined ? undefined : hashSessionToken(device),
  };
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
  const signedIn = token === undefined ? undefined : await resumeSession(context, visitorOf(context, request), token);
  if (!signedIn) throw new DashboardError('NOT_SIGNED_IN');
  return signedIn;
}

/** Gives the browser a new token, in place of the one that it had. */
export function giveToken({ dashboardUrl }: DashboardContext, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', writeSessionCookie(dashboardUrl, token));
}

/** Gives the browser of a user who has just signed in both tokens: of the session, and by which it is known later. */
export async function giveSession(
  context: DashboardContext,
  visitor: Visitor,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  giveToken(context, reply, token);
  const deviceToken = await rememberDevice(context, visitor, token);
  if (deviceToken !== undefined) reply.header('set-cookie', writeDeviceCookie(context.dashboardUrl, deviceToken));
}

/** Whether the database stores every text in a value unchanged, at any depth. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

/** The parts of a request's path that its route names; what the database could not even look for is nowhere. */
export function readPath({ params }: FastifyRequest): Readonly<Record<string, string>> {
  if (!isStorable(params)) throw new DashboardError('NOT_FOUND');
  return params as Record<string, string>;
}

const refuseFields = (errors: readonly { field: string; message: string }[]) =>
  new DashboardError('VALIDATION_ERROR', { details: { errors } });

/** What a schema makes of a value; refuses fields that the schema does not name and texts that could not be stored. */
function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw refuseFields(parsed.error.issues.map(({ path, message }) => ({ field: String(path[0] ?? whole), message })));
  const unfit = Object.entries(parsed.data ?? {}).filter(([, field]) => !isStorable(field));
  if (unfit.length > 0) throw refuseFields(unfit.map(([field]) => ({ field, message: 'A character is not allowed.' })));
  return parsed.data;
}

/** Parses the query of a request's address. A name that is given twice is a list, which no field takes. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, { query }: FastifyRequest): z.output<Schema> {
  return parseFields(schema, query, 'query');
}

/** Parses a request's body; refuses what is no JSON, and fields that the schema does not name. */
export function readInput<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const body = request.body as RequestBody | undefined;
  if (body && 'fault' in body && body.fault === 'too-large') throw new DashboardError('PAYLOAD_TOO_LARGE');
  if (!body || ('fault' in body && body.fault === 'unsupported')) throw new DashboardError('UNSUPPORTED_MEDIA_TYPE');
  return parseFields(schema, 'fault' in body ? undefined : body.value, 'body');
}
