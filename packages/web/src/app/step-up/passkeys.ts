import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { passkeys } from '#messages/identity/passkeys.ts'

type Json = Record<string, unknown>

/**
 * No passkey was used: the person closed the browser's own dialog, had none available, or the browser supports none.
 * Browsers do not reveal which. `message` can be displayed.
 */
export class PasskeyNotUsed extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'PasskeyNotUsed'
  }
}

const isDuplicatePasskey = (cause: unknown) => cause instanceof Error && cause.name === 'InvalidStateError'

/** Answers a challenge of the server with a passkey. Throws `PasskeyNotUsed`. */
export async function answerByPasskey(options: Json): Promise<Json> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  try {
    return { ...(await startAuthentication({ optionsJSON })) }
  } catch (error) {
    throw new PasskeyNotUsed(passkeys.unused, error)
  }
}

/** Creates a passkey for this account, in the browser's own dialog. Throws `PasskeyNotUsed`. */
export async function createPasskey(options: Json): Promise<Json> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  try {
    return { ...(await startRegistration({ optionsJSON })) }
  } catch (error) {
    throw new PasskeyNotUsed(isDuplicatePasskey(error) ? passkeys.alreadyThere : passkeys.notMade, error)
  }
}
