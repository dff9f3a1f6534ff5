import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

type Json = Record<string, unknown>

/** No passkey came: the person closed the browser's own dialog, had none at hand, or the browser knows no passkeys. */
export class PasskeyUnused extends Error {
  /** The device holds a passkey for this account already. */
  readonly isAlreadyThere: boolean
  constructor(cause: unknown) {
    super('no passkey was used', { cause })
    this.isAlreadyThere = cause instanceof Error && cause.name === 'InvalidStateError'
  }
}

async function run(ceremony: () => Promise<object>): Promise<Json> {
  try {
    return { ...(await ceremony()) }
  } catch (error) {
    throw new PasskeyUnused(error)
  }
}

/** Has the browser answer a challenge of the server with a passkey. Throws `PasskeyUnused`. */
export async function answerByPasskey(options: Json): Promise<Json> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return run(() => startAuthentication({ optionsJSON }))
}

/** Has the browser make a new passkey for this account. Throws `PasskeyUnused`. */
export async function makePasskey(options: Json): Promise<Json> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return run(() => startRegistration({ optionsJSON }))
}
