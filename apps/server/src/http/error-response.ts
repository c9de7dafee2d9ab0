import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from '../lib/api-version.ts';
import { Refusal } from '../lib/refusal.ts';
import { PublicError } from '../api/public-error.ts';
import type { PublicErrorCode } from '../api/public-error.ts';
import { answerRefusal } from '../api/refusal-answers.ts';
import type { RequestBody } from '../api/request-body.ts';
import { echoedRequestId } from '../api/create-invoice-body.ts';
import { BURST_WINDOW_SECONDS, CONTRACT_LIMITS } from '../stores/admission.ts';

/** Error responses of the contract: without stack traces, SQL or framework texts. */

/** An answerable error of any face. */
type AnsweredError = Error & {
  code: string;
  status: number;
  details: Record<string, unknown> | undefined;
  extra?: Record<string, unknown> | undefined;
};

function errorBody(error: AnsweredError, requestId?: string) {
  return {
    status: 'error',
    message: error.message,
    error_code: error.code,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(error.details && { details: error.details }),
    ...error.extra,
  };
}

/** Codes of framework errors, by HTTP status. */
const BY_STATUS: Record<number, PublicErrorCode> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'BAD_REQUEST',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  431: 'HEADERS_TOO_LARGE',
};

export function toPublicError(cause: unknown): PublicError {
  if (cause instanceof PublicError) return cause;
  const answer = cause instanceof Refusal ? answerRefusal(cause) : undefined;
  if (answer) return answer;
  const status = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'statusCode') : undefined;
  const code = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return new PublicError(code ?? 'INTERNAL_ERROR', { cause });
}

const SERVER_FAULT = 500;

export function sendError(error: AnsweredError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status >= SERVER_FAULT)
    request.log.error({ err: error.cause ?? error, code: error.code }, 'request failed');
  // Otherwise the unread part of the body would be parsed as the next request.
  if (error.code === 'PAYLOAD_TOO_LARGE') reply.header('Connection', 'close');
  const body = request.body as RequestBody | undefined;
  const requestId = body && 'value' in body ? echoedRequestId(body.value) : undefined;
  return reply.status(error.status).send(errorBody(error, requestId));
}

const BY_PARSER_CODE: Record<string, PublicErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Headers of an answer to an unread, and therefore uncounted, request. */
const UNREAD_HEADERS =
  `api-version: ${API_VERSION}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\nratelimit-limit: ${CONTRACT_LIMITS.other.burst}\r\n` +
  `ratelimit-remaining: 0\r\nratelimit-reset: ${BURST_WINDOW_SECONDS}\r\n`;

/** Time for the client to read the answer before the socket is destroyed. */
const LINGER_MS = 1_000;

export const TRANSPORT_SECURITY = 'max-age=63072000; includeSubDomains';

/** Answers a socket without a readable request: not HTTP, or too slow. */
export function answerClientError(cause: NodeJS.ErrnoException, socket: Socket, httpsOnly = false): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = BY_PARSER_CODE[cause.code ?? ''] ?? 'BAD_REQUEST';
  const error = new PublicError(code);
  const { status } = error;
  const body = JSON.stringify(errorBody(error));
  const secured = httpsOnly ? `strict-transport-security: ${TRANSPORT_SECURITY}\r\n` : '';
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n${UNREAD_HEADERS}${secured}connection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
