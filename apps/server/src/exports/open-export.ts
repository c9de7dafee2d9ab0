import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import type { ExportReader, ListedExport } from './member-export-sql.ts';
import { findExport, readChunk } from './member-export-sql.ts';

type OpenedExport = { file: ListedExport; bytes: number; sha256: Buffer; chunks: () => AsyncGenerator<Buffer> };

/** Reads chunks during the download, which ends with an error if the file expires or access is lost. */
async function* readChunks(
  { queries, clock }: { queries: Queries; clock: Context['clock'] },
  { id, code, bytes }: { id: bigint; code: string; bytes: number },
): AsyncGenerator<Buffer> {
  for (let number = 0, sent = 0; sent < bytes; number += 1) {
    const chunk = await readChunk(queries, { id, number, now: new Date(clock.nowMs()) });
    if (!chunk) throw new Refusal('EXPORT_UNKNOWN', { export: code });
    sent += chunk.length;
    yield chunk;
  }
}

/** Opens a file for a member who may export; not in a support session. */
export async function openExport(
  { database, clock, views }: Context & { views: { queries: Queries } },
  actor: Person,
  { merchantCode, code }: { merchantCode: string; code: string },
): Promise<OpenedExport> {
  const asked = { merchantCode, permission: 'export.make' } as const;
  const { merchantAccountId, allStores } = await requireMember({ database, clock }, actor, asked);
  const reader: ExportReader = { merchantAccountId, personId: actor.id, allStores };
  const file = await findExport(views.queries, reader, code);
  if (!file) throw new Refusal('EXPORT_UNKNOWN', { export: code });
  if (file.kind === 'audit') await requireMember({ database, clock }, actor, { merchantCode, permission: 'audit.see' });
  const { state, expiresAt, bytes, sha256 } = file;
  if (state === 'queued' || state === 'running') throw new Refusal('EXPORT_NOT_READY', { state });
  if (state === 'failed') throw new Refusal('EXPORT_FAILED', { fault: String(file.fault) });
  if (state === 'expired' || expiresAt === null || expiresAt.getTime() <= clock.nowMs() || !sha256)
    throw new Refusal('EXPORT_EXPIRED');
  const size = Number(bytes);
  return {
    file,
    bytes: size,
    sha256,
    chunks: () => readChunks({ queries: views.queries, clock }, { id: file.id, code, bytes: size }),
  };
}
