import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { Operations } from '../generated/operations.ts';
import { call } from './call.ts';

type Assertion = Operations['POST /session/passkey/verify']['body']['answer'];
type Attestation = Operations['POST /me/passkeys/verify']['body']['answer'];

async function answer(options: { challenge: string }, useBrowserAutofill = false): Promise<Assertion> {
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return (await startAuthentication({ optionsJSON, useBrowserAutofill })) as unknown as Assertion;
}

export async function signInByPasskey(): Promise<void> {
  const options = await call('POST /session/passkey/options', { body: {} }, { quiet: true });
  await call('POST /session/passkey/verify', { body: { answer: await answer(options) } }, { quiet: true });
}

/** Offers passkeys in the browser's autofill list; false without support. */
export async function signInByAutofill(): Promise<boolean> {
  if (!(await browserSupportsWebAuthnAutofill())) return false;
  const options = await call('POST /session/passkey/options', { body: {} }, { quiet: true });
  await call('POST /session/passkey/verify', { body: { answer: await answer(options, true) } }, { quiet: true });
  return true;
}

export async function giveFactorByPasskey(): Promise<void> {
  const options = await call('POST /session/factor/options', { body: {} }, { quiet: true });
  await call('POST /session/factor', { body: { answer: await answer(options) } }, { quiet: true });
}

export async function stepUpByPasskey(): Promise<void> {
  const options = await call('POST /session/step-up/options', { body: {} }, { quiet: true });
  await call('POST /session/step-up/verify', { body: { answer: await answer(options) } }, { quiet: true });
}

/** Restores an account by a passkey from before the changes. */
export async function restoreByPasskey(token: string): Promise<void> {
  const options = await call('POST /undo/passkey/options', { body: { token } }, { quiet: true });
  await call('POST /undo/restore', { body: { token, answer: await answer(options) } }, { quiet: true });
}

/** Adds a passkey; returns recovery codes if it is the first two-factor method. */
export async function addPasskey(name: string): Promise<readonly string[]> {
  const options = await call('POST /me/passkeys/options', { body: {} });
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const made = (await startRegistration({ optionsJSON })) as unknown as Attestation;
  return (await call('POST /me/passkeys/verify', { body: { answer: made, name } })).recovery_codes;
}
