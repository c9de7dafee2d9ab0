import { z } from 'zod';

const MAX_REASON = 300;

export const namedPerson = 'EMAIL|PER-...';
export const reasonField = z.string().trim().min(1).max(MAX_REASON);
export const reasonOption = 'TEXT         why, for the audit';
