import type { Reply } from '@tern/contract/endpoint'
import {
  answerSecondFactorByPasskey,
  logInByPasskey,
  passkeySignInOptions,
  secondFactorPasskeyOptions,
  type SignedInReply,
} from '@tern/contract/sign-in'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { identity } from '#messages/identity.ts'
import { callAsVisitor } from '../../session.ts'

/** The browser gave no passkey: refused, closed, timed out, or it has none. `message` is fit to be shown. */
export class NoPasskey extends Error {
  constructor(cause?: unknown) {
    super(identity.noPasskey, { cause })
    this.name = 'NoPasskey'
  }
}

// What the browser says is in its own words and language, and hides on purpose whether a passkey exists.
async function answer({ ceremony, options }: Reply<typeof passkeySignInOptions>) {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  try {
    const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
    return { ceremony, response: { ...(await startAuthentication({ optionsJSON })) } }
  } catch (error) {
    throw new NoPasskey(error)
  }
}

/** Logs in with a passkey of whichever account the person chooses. Throws `NoPasskey` too. */
export async function logInWithPasskey(): Promise<SignedInReply> {
  const begun = await callAsVisitor(passkeySignInOptions, {})
  return callAsVisitor(logInByPasskey, { body: await answer(begun) })
}

/** Answers the question for a second factor with a passkey. Throws `NoPasskey` too. */
export async function confirmWithPasskey(challenge: string): Promise<SignedInReply> {
  const begun = await callAsVisitor(secondFactorPasskeyOptions, { body: { challenge } })
  return callAsVisitor(answerSecondFactorByPasskey, { body: { challenge, ...(await answer(begun)) } })
}
