import { chainCommands } from '../../src/commands/chain-commands.ts';
import { invoiceCommands } from '../../src/commands/invoice-commands.ts';
import { recheckCommands } from '../../src/commands/recheck-commands.ts';
import { transferCommands } from '../../src/commands/transfer-commands.ts';
import { genesisOf } from '../chains/genesis.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { fail } from './engine-fixture.ts';
import { NETWORKS } from '../chains/networks.ts';
import { NO_EXCHANGES } from '../exchanges/no-exchanges.ts';
import { NO_MAIL } from '../mail/no-mail.ts';

/** Operator who runs commands; audit entries call this actor `cli:operator`. */
export const OPERATOR = { kind: 'operator', name: 'operator' } as const;

/** Runs a command of the operator's command line, with other node URLs where some are given. */
export async function command(
  engine: EngineFixture,
  name: string,
  values: Record<string, string>,
  urls?: readonly string[],
): Promise<unknown> {
  const commands = [...chainCommands, ...invoiceCommands, ...recheckCommands, ...transferCommands];
  const found = commands.find((one) => one.name === name) ?? fail();
  const { clock } = engine;
  const chainUrls = (network: string) => urls ?? [engine.chains[network]?.anvil.url ?? engine.solanaUrl ?? fail()];
  const wait = async (ms: number) => clock.advance(ms);
  const [first] = urls ?? [];
  const other = first === undefined ? undefined : await genesisOf(first);
  const genesisHash = (network: string) => engine.chains[network]?.genesisHash ?? other;
  const context = {
    ...NO_EXCHANGES,
    ...NO_MAIL,
    networks: NETWORKS,
    database: engine.as('admin'),
    clock,
    actor: OPERATOR,
    keyRingFile: fail,
    keyRing: fail,
    chainUrls,
    genesisHash,
    wait,
  };
  return found.run(context, values);
}
