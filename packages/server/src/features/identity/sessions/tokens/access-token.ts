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
import { validate as isUuid } from 'uuid'
import type { Db } from '../../../../platform/database/db.ts'
import { hasLowS, withLowS } from '../../../../platform/keys/low-s.ts'
import { UnknownSecretError, type Seal } from '../../../../platform/seal.ts'
import type { IdentityContext } from '../../context.ts'
import type { SigningKeyRow } from '../../row-types.ts'

/** User and session of an access token. The session may have ended. */
export interface TokenClaims {
  readonly userId: bigint
  readonly sessionId: string
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
const maxCachedTokens = 20_000
const reloadPauseMs = 5000
// A key retired by another process still signs here for at most this long.
const keyValidityMs = 60_000
const keyLifetimeDays = 90

/** Signing keys and verified tokens cached in this process. */
export interface AccessTokens {
  keys: SigningKey[]
  loadedAt: number
  /** Claims by token. Verifying a token costs about as much as a small query. */
  readonly verified: Map<string, TokenClaims & { expiresAt: number }>
}

export const createAccessTokens = (): AccessTokens => ({ keys: [], loadedAt: 0, verified: new Map() })

type Ctx = Pick<IdentityContext, 'accessTokens' | 'publicUrl' | 'realNow'> & {
  readonly seals: Pick<IdentityContext['seals'], 'signingKey'>
}

/** Loads the signing keys, creating one if none is in use. Throws if they were sealed with another secret. */
export async function loadSigningKeys({ accessTokens, seals, realNow }: Ctx, db: Db): Promise<void> {
  const at = realNow()
  accessTokens.loadedAt = at.getTime()
  accessTokens.keys = await readKeys(db, seals.signingKey, at)
  if (accessTokens.keys.some((key) => key.isSigning)) return
  await makeKey(db, seals.signingKey, at)
  accessTokens.keys = await readKeys(db, seals.signingKey, realNow())
}

const isOlderThan = ({ accessTokens, realNow }: Ctx, ms: number) => realNow().getTime() - accessTokens.loadedAt > ms

async function findPublicKey(ctx: Ctx, db: Db, id: string | undefined): Promise<CryptoKey> {
  const findKey = () => ctx.accessTokens.keys.find((candidate) => candidate.id === id)
  if (!findKey() && isOlderThan(ctx, reloadPauseMs)) await loadSigningKeys(ctx, db)
  const key = findKey()
  if (!key) throw new UnknownKeyError()
  return key.publicKey
}

/** Issues a signed token, valid for five minutes. */
export async function issueAccessToken(ctx: Ctx, db: Db, { userId, sessionId }: TokenClaims): Promise<string> {
  if (isOlderThan(ctx, keyValidityMs)) await loadSigningKeys(ctx, db)
  const key = ctx.accessTokens.keys.find((candidate) => candidate.isSigning)
  if (!key) throw new Error('there is no signing key')
  // not money: seconds since 1970
  const issuedAt = Math.floor(ctx.realNow().getTime() / 1000)
  const token = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: algorithm, typ: type, kid: key.id })
    .setSubject(String(userId))
    .setIssuer(ctx.publicUrl)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(key.privateKey)
  return withLowS(token)
}

/** Returns the claims of a valid token. Undefined if it is foreign, altered, expired, or its signature is malleated. */
export async function verifyAccessToken(ctx: Ctx, db: Db, token: string): Promise<TokenClaims | undefined> {
  const { verified } = ctx.accessTokens
  const knownClaims = verified.get(token)
  if (knownClaims) {
    if (knownClaims.expiresAt > ctx.realNow().getTime()) return knownClaims
    verified.delete(token)
    return undefined
  }
  if (token.length > longestToken || !hasLowS(token)) return undefined
  const claims = await checkToken(ctx, db, token)
  if (!claims) return undefined
  for (const oldest of verified.keys()) {
    if (verified.size < maxCachedTokens) break
    verified.delete(oldest)
  }
  verified.set(token, claims)
  return claims
}

/** Public keys for verifying our tokens (RFC 7517). */
export const publicKeys = ({ accessTokens }: Pick<Ctx, 'accessTokens'>) => ({
  keys: accessTokens.keys.map((key) => key.publicJwk),
})

/** Retires a signing key after 90 days. Tokens issued before remain valid. */
export async function retireOldKey({ realNow }: Pick<Ctx, 'realNow'>, db: Db): Promise<void> {
  await db.query(
    `update signing_key set retired_at = $1
      where retired_at is null and created_at < $1::timestamptz - make_interval(days => $2)`,
    [realNow(), keyLifetimeDays],
  )
}

class UnknownKeyError extends Error {}

async function checkToken(ctx: Ctx, db: Db, token: string): Promise<(TokenClaims & { expiresAt: number }) | undefined> {
  try {
    const { payload } = await jwtVerify<{ sid: unknown }>(token, ({ kid }) => findPublicKey(ctx, db, kid), {
      algorithms: [algorithm],
      typ: type,
      audience,
      issuer: ctx.publicUrl,
      currentDate: ctx.realNow(),
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    })
    const { sub, sid, exp } = payload
    if (typeof sid !== 'string' || !isUuid(sid) || !sub || !/^\d{10}$/.test(sub) || exp === undefined) return undefined
    return { userId: BigInt(sub), sessionId: sid, expiresAt: exp * 1000 }
  } catch (error) {
    const isTokenInvalid =
      error instanceof UnknownKeyError || (error instanceof Error && 'code' in error && isJoseCode(error.code))
    if (isTokenInvalid) return undefined
    throw error
  }
}

const isJoseCode = (code: unknown): boolean => typeof code === 'string' && code.startsWith('ERR_J')

async function readKeys(db: Db, seal: Seal, at: Date): Promise<SigningKey[]> {
  // Includes retired keys while their tokens may be valid.
  const { rows } = await db.query<Pick<SigningKeyRow, 'id' | 'public_key' | 'private_key' | 'retired_at'>>(
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

function openKey(seal: Seal, sealedKey: Buffer, id: string): JWK {
  try {
    return JSON.parse(seal.open(sealedKey, id)) as JWK
  } catch (cause) {
    throw new UnknownSecretError(
      'TERN_SECRET is not the secret this database was set up with: its signing key cannot be opened.',
      {
        cause,
      },
    )
  }
}

async function makeKey(db: Db, seal: Seal, at: Date): Promise<void> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const exportedJwk = await exportJWK(pair.publicKey)
  const id = await calculateJwkThumbprint(exportedJwk)
  const publicJwk = { ...exportedJwk, kid: id, alg: algorithm, use: 'sig' }
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  await db.query(
    `insert into signing_key (id, public_key, private_key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [id, publicJwk, seal.seal(privateJwk, id), at],
  )
}
