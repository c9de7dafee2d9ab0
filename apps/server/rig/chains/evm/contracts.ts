import type { Abi, Hex } from 'viem';
import compiled from './contracts/contracts.json' with { type: 'json' };

export type Contract = { abi: Abi; bytecode: Hex };

export const TOKEN: Contract = { abi: compiled.Token.abi as Abi, bytecode: compiled.Token.bytecode as Hex };
export const BATCH: Contract = { abi: compiled.Batch.abi as Abi, bytecode: compiled.Batch.bytecode as Hex };
