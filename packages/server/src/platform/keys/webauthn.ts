import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server'
import { refuse } from '../refuse.ts'

// Server side of passkey ceremonies: options for the browser and verification of its answer. Features store the
// challenge, bound to its purpose and person, and delete it from the database before they verify an answer.

/** Site to which passkeys belong. */
export interface RelyingParty {
  readonly name: string
  /** Origin of the pages that request passkeys. */
  readonly url: string
}

/** Ceremony that the browser must answer. */
export interface StartedCeremony {
  readonly ceremony: string
  readonly options: Record<string, unknown>
}

/** Browser's answer, untrusted, with the id of its ceremony. */
export interface CeremonyAnswer {
  readonly ceremony: string
  readonly response: Readonly<Record<string, unknown>>
}

interface ResponseToVerify {
  readonly party: RelyingParty
  readonly response: CeremonyAnswer['response']
  readonly expectedChallenge: string
}

interface StoredCredential {
  readonly id: string
  readonly transports: string[]
}

export type NewCredential = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

export const ceremonyMs = 5 * 60_000
// ES256, EdDSA and RS256 (https://www.iana.org/assignments/cose), which today's authenticators use.
const algorithms = [-7, -8, -257]
// Base64url of at most 1023 bytes (WebAuthn, section 4).
const isCredentialId = /^[\w-]{1,1364}$/

/** Loads the library lazily, because it takes 16 MB in each process. */
const loadWebauthn = () => import('@simplewebauthn/server')

const expectedSite = ({ url }: RelyingParty) => {
  const { hostname, origin } = new URL(url)
  return { expectedRPID: hostname, expectedOrigin: origin }
}

/** Verifies an answer. Refuses `passkey_invalid`, since every error that the library throws is due to the answer. */
async function verify<T>(verification: () => Promise<T>): Promise<T> {
  try {
    return await verification()
  } catch {
    return refuse('passkey_invalid')
  }
}

interface Registration {
  readonly party: RelyingParty
  readonly userName: string
  readonly handle: Buffer
  readonly excludes: readonly StoredCredential[]
  readonly residentKey: 'preferred' | 'required'
}

/** Returns the options for a new passkey, with a fresh challenge. */
export async function createRegistrationOptions({ party, userName, handle, excludes, residentKey }: Registration) {
  const { generateRegistrationOptions } = await loadWebauthn()
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: expectedSite(party).expectedRPID,
    userName,
    userID: new Uint8Array(handle),
    timeout: ceremonyMs,
    excludeCredentials: [...excludes],
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey, userVerification: 'required' },
  })
}

/** Returns the new credential, created with user verification by the device. Refuses `passkey_invalid`. */
export async function verifyRegistration({
  party,
  response,
  expectedChallenge,
}: ResponseToVerify): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await loadWebauthn()
  const { registrationInfo } = await verify(() =>
    verifyRegistrationResponse({
      ...expectedSite(party),
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge,
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: true,
    }),
  )
  return registrationInfo && registrationInfo.credential.id === response.id
    ? registrationInfo
    : refuse('passkey_invalid')
}

interface Assertion {
  readonly party: RelyingParty
  /** Credentials that may answer; by default any of the site. */
  readonly allows?: readonly StoredCredential[]
  /** Random by default. */
  readonly challenge?: Buffer | undefined
}

export async function createAssertionOptions({ party, allows = [], challenge }: Assertion) {
  const { generateAuthenticationOptions } = await loadWebauthn()
  return generateAuthenticationOptions({
    rpID: expectedSite(party).expectedRPID,
    timeout: ceremonyMs,
    userVerification: 'required',
    allowCredentials: [...allows],
    ...(challenge && { challenge: new Uint8Array(challenge) }),
  })
}

/**
 * Verifies that the credential with this public key answered, with user verification by the device. Returns the
 * answer's counter, which the caller must compare and store in one statement. Refuses `passkey_invalid`.
 */
export async function verifyAssertion({
  party,
  response,
  expectedChallenge,
  publicKey,
}: ResponseToVerify & { publicKey: Buffer }): Promise<number> {
  const { verifyAuthenticationResponse } = await loadWebauthn()
  const { verified, authenticationInfo } = await verify(() =>
    verifyAuthenticationResponse({
      ...expectedSite(party),
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge,
      credential: { id: String(response.id), publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: true,
    }),
  )
  return verified ? authenticationInfo.newCounter : refuse('passkey_invalid')
}

/** Returns the credential id in an answer. Refuses `passkey_invalid` if it is malformed. */
export const readCredentialId = ({ id }: CeremonyAnswer['response']): string =>
  typeof id === 'string' && isCredentialId.test(id) ? id : refuse('passkey_invalid')

/** Returns the user handle in an answer, as base64url, if the authenticator sent one. */
export function readUserHandle({ response }: CeremonyAnswer['response']): string | undefined {
  const handle = (response as { userHandle?: unknown } | null | undefined)?.userHandle
  return typeof handle === 'string' && handle !== '' ? handle : undefined
}
