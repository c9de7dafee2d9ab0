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

/** Checks of every dashboard request before its verb. */

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** The sender. A long user agent is cut: an event that cannot be stored would leave no trace of a guess. */
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

/** The signed-in person of a request; refuses others. */
export async function requireSignedIn(context: DashboardContext, request: FastifyRequest): Promise<SignedIn> {
  const token = tokenOf(context, request);
  const signedIn = token === undefined ? undefined : await resumeSession(context, visitorOf(context, request), token);
  if (!signedIn) throw new DashboardError('NOT_SIGNED_IN');
  return signedIn;
}

/** Replaces the browser's token. */
export function giveToken({ dashboardUrl }: DashboardContext, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', writeSessionCookie(dashboardUrl, token));
}

/** Gives a browser its session token and that of a known browser. */
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

/** The path parameters; texts that the database cannot store match nothing. */
export function readPath({ params }: FastifyRequest): Readonly<Record<string, string>> {
  if (!isStorable(params)) throw new DashboardError('NOT_FOUND');
  return params as Record<string, string>;
}

const refuseFields = (errors: readonly { field: string; message: string }[]) =>
  new DashboardError('VALIDATION_ERROR', { details: { errors } });

/** Parses a value; refuses unknown fields and texts that cannot be stored. */
function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw refuseFields(parsed.error.issues.map(({ path, message }) => ({ field: String(path[0] ?? whole), message })));
  const unfit = Object.entries(parsed.data ?? {}).filter(([, field]) => !isStorable(field));
  if (unfit.length > 0) throw refuseFields(unfit.map(([field]) => ({ field, message: 'A character is not allowed.' })));
  return parsed.data;
}

/** Parses the query. A repeated name is a list, which no field accepts. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, { query }: FastifyRequest): z.output<Schema> {
  return parseFields(schema, query, 'query');
}

/** Parses a body; refuses invalid JSON and unknown fields. */
export function readInput<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const body = request.body as RequestBody | undefined;
  if (body && 'fault' in body && body.fault === 'too-large') throw new DashboardError('PAYLOAD_TOO_LARGE');
  if (!body || ('fault' in body && body.fault === 'unsupported')) throw new DashboardError('UNSUPPORTED_MEDIA_TYPE');
  return parseFields(schema, 'fault' in body ? undefined : body.value, 'body');
}
