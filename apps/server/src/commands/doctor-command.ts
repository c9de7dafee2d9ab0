import { z } from 'zod';
import type { Finding } from '../doctor/finding.ts';
import { raiseFindings } from '../doctor/raise-findings.ts';
import type { DoctorContext } from '../doctor/run-doctor.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { command } from './command.ts';

const input = z.object({ alarm: z.enum(['yes', 'no']).default('no') });

const RANKS: readonly Finding['state'][] = ['wrong', 'doubtful', 'fine'];

export const doctorCommand = command<DoctorContext, typeof input>('doctor', {
  summary: 'Check this installation for common operator mistakes, and show how to fix them.',
  options: { alarm: 'yes          also raise an alarm for each check that is wrong, once a day' },
  input,
  run: async (context, { alarm }) => {
    const findings = await runDoctor(context);
    if (alarm === 'yes') findings.push(...(await raiseFindings(context, findings)));
    return findings.toSorted((one, other) => RANKS.indexOf(one.state) - RANKS.indexOf(other.state));
  },
});
