import { forgetGenesisHashes } from '../rig/chains/genesis.ts';

/** Runs before every test file: files of a worker share their modules, and must not share what rigs remember of nodes. */

forgetGenesisHashes();
