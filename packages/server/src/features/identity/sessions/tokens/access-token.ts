import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import type pg from 'pg'
import { validate as isUuid } from 'uuid'
import { hasLowS, withLowS } from '../../../../platform/keys/low-s.ts'
import { UnknownSecretError, type Seal } from '../../../../platform/seal.ts'

/** The subject of an access token; its session may have ended. */
export interface TokenClaims {
  readonly userId: bigint
  readonly sessionId: string
}

interface AccessTokenOptions {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly issuer: string
  readonly now: () => Date
}

interface SigningKey {
  id: string
  publicJwk: JWK
  publicKey: CryptoKey
  privateKey: CryptoKey
  isSigning: boolean
}

const algorithm = 'ES256'
const type = 'at+jwt'
const audience = 'tern'
const lifetimeSeconds = 300
const longestToken = 2048
const rememberedTokens = 20_000
const reloadPauseMs = 5000
// The longest that a key retired elsewhere still signs here.
const keysGoodForMs = 60_000
const keyLifetimeDays = 90

/** Loads or creates the signing key. Throws when another secret sealed it. */
export async function createAccessTokens({ pool, seal, issuer, now }: AccessTokenOptions) {
  let keys: SigningKey[] = []
  let loadedAt = 0
  async function reload(): Promise<void> {
    loadedAt = now().getTime()
    keys = await loadKeys(pool, seal, now())
    if (keys.some((key) => key.isSigning)) return
    await makeKey(pool, seal, now())
    keys = await loadKeys(pool, seal, now())
  }
  const isOlderThan = (ms: number) => now().getTime() - loadedAt > ms
  await reload()
  // Verifying costs about as much as a small query, and tokens come many times.
  const remembered = new Map<string, TokenClaims & { expiresAt: number }>()

  async function keyOf(id: string | undefined): Promise<CryptoKey> {
    let key = keys.find((candidate) => candidate.id === id)
    if (!key && isOlderThan(reloadPauseMs)) {
      await reload()
      key = keys.find((candidate) => candidate.id === id)
    }
    if (!key) throw new UnknownKey()
    return key.publicKey
  }

  return {
    /** A signed token, valid for five minutes. */
    async issue({ userId, sessionId }: TokenClaims): Promise<string> {
      if (isOlderThan(keysGoodForMs)) await reload()
      const key = keys.find((candidate) => candidate.isSigning)
      if (!key) throw new Error('there is no signing key')
      // not money: seconds since 1970
      const issuedAt = Math.floor(now().getTime() / 1000)
      const token = await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: algorithm, typ: type, kid: key.id })
        .setSubject(String(userId))
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key.privateKey)
      return withLowS(token)
    },
    /** The claims, or undefined when foreign, altered, expired, or with another form of the signature. */
    async verify(token: string): Promise<TokenClaims | undefined> {
      const known = remembered.get(token)
      if (known) {
        if (known.expiresAt > now().getTime()) return known
        remembered.delete(token)
        return undefined
      }
      if (token.length > longestToken || !hasLowS(token)) return undefined
      const claims = await checkToken(token, issuer, now(), (header) => keyOf(header.kid))
      if (!claims) return undefined
      for (const oldest of remembered.keys()) {
        if (remembered.size < rememberedTokens) break
        remembered.delete(oldest)
      }
      remembered.set(token, claims)
      return claims
    },
    /** Public keys for verifying our tokens. */
    publicKeys: () => ({ keys: keys.map((key) => key.publicJwk) }),
    /** Retires a signing key after 90 days. Issued tokens stay valid. */
    async retireOldKey(): Promise<void> {
      await pool.query(
        `update signing_key set retired_at = $1
          where retired_at is null and created_at < $1::timestamptz - make_interval(days => $2)`,
        [now(), keyLifetimeDays],
      )
    },
  }
}

class UnknownKey extends Error {}

async function checkToken(
  token: string,
  issuer: string,
  at: Date,
  keyOf: (header: { kid?: string }) => Promise<CryptoKey>,
): Promise<(TokenClaims & { expiresAt: number }) | undefined> {
  try {
    const { payload } = await jwtVerify<{ sid: unknown }>(token, keyOf, {
      algorithms: [algorithm],
      typ: type,
      audience,
      issuer,
      currentDate: at,
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    })
    const { sub, sid, exp } = payload
    if (typeof sid !== 'string' || !isUuid(sid) || !sub || !/^\d{10}$/.test(sub) || exp === undefined) return undefined
    return { userId: BigInt(sub), sessionId: sid, expiresAt: exp * 1000 }
  } catch (error) {
    const isVerdict =
      error instanceof UnknownKey || (error instanceof Error && 'code' in error && isJoseCode(error.code))
    if (isVerdict) return undefined
    throw error
  }
}

const isJoseCode = (code: unknown): boolean => typeof code === 'string' && code.startsWith('ERR_J')

async function loadKeys(pool: pg.Pool, seal: Seal, at: Date): Promise<SigningKey[]> {
  // A retired key stays known while its tokens may be valid.
  const { rows } = await pool.query<{ id: string; public_key: JWK; private_key: Buffer; retired_at: Date | null }>(
    `select id, public_key, private_key, retired_at from signing_key
      where retired_at is null or retired_at > $1::timestamptz - interval '10 minutes' order by created_at desc`,
    [at],
  )
  return Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      publicJwk: row.public_key,
      publicKey: (await importJWK(row.public_key, algorithm)) as CryptoKey,
      privateKey: (await importJWK(openKey(seal, row.private_key, row.id), algorithm)) as CryptoKey,
      isSigning: row.retired_at === null,
    })),
  )
}

function openKey(seal: Seal, sealed: Buffer, id: string): JWK {
  try {
    return JSON.parse(seal.open(sealed, id)) as JWK
  } catch (cause) {
    throw new UnknownSecretError(
      'TERN_SECRET is not the secret this database was set up with: its signing key cannot be opened.',
      {
        cause,
      },
    )
  }
}

async function makeKey(pool: pg.Pool, seal: Seal, at: Date): Promise<void> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const bare = await exportJWK(pair.publicKey)
  const id = await calculateJwkThumbprint(bare)
  const publicJwk = { ...bare, kid: id, alg: algorithm, use: 'sig' }
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  await pool.query(
    `insert into signing_key (id, public_key, private_key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [id, publicJwk, seal.seal(privateJwk, id), at],
  )
}
