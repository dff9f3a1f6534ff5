import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// A software authenticator as WebAuthn describes it (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data).

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  if (value < 256) return Buffer.of((major << 5) | 24, value)
  return Buffer.of((major << 5) | 25, value >> 8, value & 255)
}

function cbor(item: Cbor): Buffer {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item)
  if (typeof item === 'string') return Buffer.concat([head(3, Buffer.byteLength(item)), Buffer.from(item)])
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item])
  return Buffer.concat([head(5, item.size), ...[...item].flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const uint16 = (value: number) => Buffer.of(value >> 8, value & 255)
const flag = { userPresent: 1, userVerified: 4, backupPossible: 8, backedUp: 16, attested: 64 } as const

/** An ES256 key in COSE form (RFC 9053, section 7.1). */
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

/** An attestation object without a device statement. */
const unattested = (authData: Buffer): Buffer =>
  cbor(
    new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]),
  )

/** Deviations from an honest authenticator or browser. */
export interface Quirks {
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

/** For tests: one passkey on one device, in a browser showing `origin`. */
export function createTestAuthenticator(origin: string, { synced = false }: { synced?: boolean } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let handle = ''

  const clientData = (type: string, challenge: string, quirks: Quirks) =>
    Buffer.from(
      JSON.stringify({
        type: quirks.type ?? type,
        challenge: quirks.challenge ?? challenge,
        origin: quirks.origin ?? origin,
        crossOrigin: false,
      }),
    )

  function authenticatorData(rpId: string, quirks: Quirks, attested?: Buffer): Buffer {
    const flags =
      flag.userPresent |
      (quirks.userVerified === false ? 0 : flag.userVerified) |
      (synced ? flag.backupPossible | flag.backedUp : 0) |
      (attested ? flag.attested : 0)
    counter = quirks.counter ?? (synced ? 0 : counter + 1)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(quirks.rpId ?? rpId), Buffer.of(flags), count, attested ?? Buffer.alloc(0)])
  }

  /** Returned by `navigator.credentials.create`. */
  function create(given: object, quirks: Quirks = {}): Record<string, unknown> {
    const options = given as CreationOptions
    handle = options.user.id
    const attested = Buffer.concat([Buffer.alloc(16), uint16(credentialId.length), credentialId, coseKey(publicKey)])
    const authData = authenticatorData(options.rp.id, quirks, attested)
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData('webauthn.create', options.challenge, quirks).toString('base64url'),
        attestationObject: unattested(authData).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Returned by `navigator.credentials.get`. */
  function get(given: object, quirks: Quirks = {}): Record<string, unknown> {
    const options = given as RequestOptions
    const data = clientData('webauthn.get', options.challenge, quirks)
    const authData = authenticatorData(options.rpId, quirks)
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey).toString('base64url'),
        userHandle: quirks.userHandle ?? handle,
      },
    }
  }

  return { id, create, get }
}

export type TestAuthenticator = ReturnType<typeof createTestAuthenticator>
