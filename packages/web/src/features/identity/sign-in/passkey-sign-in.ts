import type { Reply } from '@tern/contract/protocol/endpoint'
import {
  answerSecondFactorByPasskey,
  logInByPasskey,
  passkeySignInOptions,
  secondFactorPasskeyOptions,
  type SignedInReply,
} from '@tern/contract/sign-in'
import { answerByPasskey } from '../../../app/step-up/passkeys.ts'
import { callAsVisitor } from '../../../app/session/session.ts'

const answer = async ({ ceremony, options }: Reply<typeof passkeySignInOptions>) => ({
  ceremony,
  response: await answerByPasskey(options),
})

/** Signs in with a passkey; the user picks the account. Throws `PasskeyNotUsed`, or the error of a failed call. */
export async function logInWithPasskey(): Promise<SignedInReply> {
  const ceremony = await callAsVisitor(passkeySignInOptions, {})
  return callAsVisitor(logInByPasskey, { body: await answer(ceremony) })
}

/** Answers a second-factor challenge with a passkey. Throws `PasskeyNotUsed`, or the error of a failed call. */
export async function confirmWithPasskey(challenge: string): Promise<SignedInReply> {
  const ceremony = await callAsVisitor(secondFactorPasskeyOptions, { body: { challenge } })
  return callAsVisitor(answerSecondFactorByPasskey, { body: { challenge, ...(await answer(ceremony)) } })
}
