import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// Software authenticator according to WebAuthn (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data).

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>

function encodeHead(majorType: number, value: number): Buffer {
  if (value < 24) return Buffer.of((majorType << 5) | value)
  if (value < 256) return Buffer.of((majorType << 5) | 24, value)
  return Buffer.of((majorType << 5) | 25, value >> 8, value & 255)
}

function cbor(item: Cbor): Buffer {
  if (typeof item === 'number') return item < 0 ? encodeHead(1, -1 - item) : encodeHead(0, item)
  if (typeof item === 'string') return Buffer.concat([encodeHead(3, Buffer.byteLength(item)), Buffer.from(item)])
  if (Buffer.isBuffer(item)) return Buffer.concat([encodeHead(2, item.length), item])
  return Buffer.concat([encodeHead(5, item.size), ...[...item].flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const uint16 = (value: number) => Buffer.of(value >> 8, value & 255)
const flag = { userPresent: 1, userVerified: 4, backupPossible: 8, backedUp: 16, attested: 64 } as const

/** Encodes an ES256 key in COSE form (RFC 9053, section 7.1). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

/** Encodes an attestation object without an attestation statement. */
const encodeAttestation = (authData: Buffer): Buffer =>
  cbor(
    new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]),
  )

/** Deviations from a correct authenticator or browser. */
export interface AuthenticatorFaults {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly userVerified?: boolean
  readonly counter?: number
  readonly userHandle?: string
}

interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}
interface RequestOptions {
  challenge: string
  rpId: string
}

/** For tests: a passkey on a device, in a browser on a page of `origin`. */
export function createTestAuthenticator(origin: string, { synced = false }: { synced?: boolean } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let userHandle = ''

  const clientData = (type: string, challenge: string, faults: AuthenticatorFaults) =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? origin,
        crossOrigin: false,
      }),
    )

  function authenticatorData(rpId: string, faults: AuthenticatorFaults, attestedData?: Buffer): Buffer {
    const flags =
      flag.userPresent |
      (faults.userVerified === false ? 0 : flag.userVerified) |
      (synced ? flag.backupPossible | flag.backedUp : 0) |
      (attestedData ? flag.attested : 0)
    counter = faults.counter ?? (synced ? 0 : counter + 1)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(faults.rpId ?? rpId), Buffer.of(flags), count, attestedData ?? Buffer.alloc(0)])
  }

  /** Creates the credential, like `navigator.credentials.create`. */
  function create(publicKeyOptions: object, faults: AuthenticatorFaults = {}): Record<string, unknown> {
    const options = publicKeyOptions as CreationOptions
    userHandle = options.user.id
    const attestedData = Buffer.concat([
      Buffer.alloc(16),
      uint16(credentialId.length),
      credentialId,
      coseKey(publicKey),
    ])
    const authData = authenticatorData(options.rp.id, faults, attestedData)
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData('webauthn.create', options.challenge, faults).toString('base64url'),
        attestationObject: encodeAttestation(authData).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Signs the challenge, like `navigator.credentials.get`. */
  function get(publicKeyOptions: object, faults: AuthenticatorFaults = {}): Record<string, unknown> {
    const options = publicKeyOptions as RequestOptions
    const data = clientData('webauthn.get', options.challenge, faults)
    const authData = authenticatorData(options.rpId, faults)
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey).toString('base64url'),
        userHandle: faults.userHandle ?? userHandle,
      },
    }
  }

  return { id, create, get }
}

export type TestAuthenticator = ReturnType<typeof createTestAuthenticator>
