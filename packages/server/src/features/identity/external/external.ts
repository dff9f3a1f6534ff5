import type { IdTokenResult, ProviderAccount, SignInResult, VisitHints } from '@tern/providers/signin/port'
import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import {
  issueSession,
  openSessionInTransaction,
  type SecondFactorRequired,
  type SignedIn,
  toSignedIn,
} from '../sign-in/complete-sign-in.ts'
import { mailVerification } from '../mailed-links/mailed-links.ts'
import {
  addIdentity,
  type ExternalIdentity,
  type ExternalProvider,
  insertWithFreeUsername,
  createLinkOffer,
  readProviderAccount,
  proposeUsername,
  findUserByIdentity,
} from './external-accounts.ts'
import { storeVisit, consumeVisit, type VisitMode } from './oauth-state.ts'
import { hashSecret } from '../secrets.ts'
import type { Client } from '../sessions/sessions.ts'
import type { NewUser } from '../users/users.ts'

// Sign-in through identity providers, whose accounts are matched by issuer and subject, never by email.

interface ExternalVisit {
  readonly provider: ExternalProvider
  readonly mode: VisitMode
  readonly screenHint?: VisitHints['screenHint']
  readonly loginHint?: string | undefined
  /** Path on our site to continue at. */
  readonly from?: string | undefined
}

type SignInOutcome = SignedIn | SecondFactorRequired

const buildRedirectUri = ({ publicUrl }: IdentityContext): string => `${publicUrl}/auth/callback`

/**
 * Chooses the adapter. Google is reached directly or, if not configured, through a connection of the external provider.
 * Refuses `not_found`.
 */
function chooseProvider({ signInProviders: { google, external } }: IdentityContext, provider: ExternalProvider) {
  if (provider === 'google' && google) return { adapter: google, hints: { chooseAccount: true } }
  const connection = provider === 'google' ? ('google-oauth2' as const) : undefined
  return external ? { adapter: external, hints: { connection } } : refuse('not_found')
}

function refuseSignIn({ log }: IdentityContext, provider: ExternalProvider, reason: string): never {
  log.info({ provider, reason }, 'identity provider did not sign somebody in')
  return refuse('external_sign_in_refused')
}

function refuseUnavailable({ log }: IdentityContext, provider: ExternalProvider, reason: string): never {
  log.warn({ provider, reason }, 'identity provider does not answer')
  return refuse('sign_in_provider_unavailable')
}

/** Returns a successful result. Refuses `external_sign_in_refused` or `sign_in_provider_unavailable` for others. */
function requireSignInSuccess<R extends SignInResult | IdTokenResult>(
  ctx: IdentityContext,
  provider: ExternalProvider,
  result: R,
): Extract<R, { status: 'signed_in' }> {
  if (result.status === 'signed_in') return result as Extract<R, { status: 'signed_in' }>
  return (result.status === 'refused' ? refuseSignIn : refuseUnavailable)(ctx, provider, result.reason)
}

/** Returns the URL of the provider's sign-in page. Refuses `not_found`, `sign_in_provider_unavailable`. */
export async function startExternalSignIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { provider, mode, screenHint, loginHint, from, client }: ExternalVisit & { client: Client },
): Promise<string> {
  const { adapter, hints } = chooseProvider(ctx, provider)
  const start = await adapter.begin(buildRedirectUri(ctx), { ...hints, screenHint, loginHint })
  if (start.status === 'unknown') return refuseUnavailable(ctx, provider, start.reason)
  const { url, state, nonce, verifier } = start
  await storeVisit(ctx, pool, { provider, mode, from, state, nonce, verifier, client })
  return url
}

/**
 * Completes a visit to a provider by the `query` of its redirect, in the browser that began it. Refuses
 * `external_sign_in_refused`, `sign_in_provider_unavailable` and `account_exists`. The latter has a `link` for
 * `/auth/external/link` if the provider verified the email. Refusals of a known visit have its `mode` and `from`.
 */
export async function finishExternalSignIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { query, client }: { query: string; client: Client },
): Promise<{ arrival: SignInOutcome; mode: VisitMode; from: string | undefined }> {
  const state = new URLSearchParams(query).get('state')
  const visit = state === null ? undefined : await consumeVisit(ctx, pool, { state, client })
  if (!visit) return refuse('external_sign_in_refused', { reason: 'sign_in_expired' })
  const { provider, mode, from } = visit
  try {
    const redirectUri = buildRedirectUri(ctx)
    const result = await chooseProvider(ctx, provider).adapter.finish({ ...visit, redirectUri, query })
    return {
      arrival: await completeExternalSignIn(ctx, pool, {
        provider,
        account: requireSignInSuccess(ctx, provider, result),
        client,
      }),
      mode,
      from,
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.code, { ...error.details, extra: { ...error.details.extra, mode, from } })
  }
}

/** Signs in with a Google ID token, which is accepted once. Refuses like `finishExternalSignIn`, and `not_found`. */
export async function googleLogin(
  ctx: IdentityContext,
  pool: pg.Pool,
  { token, client }: { token: string; client: Client },
): Promise<SignInOutcome> {
  const { google } = ctx.signInProviders
  if (!google) return refuse('not_found')
  const signedPart = readSignedPart(token) ?? refuseSignIn(ctx, 'google', 'not a signed token')
  const account = requireSignInSuccess(ctx, 'google', await google.verifyIdToken(token))
  await consumeIdToken(ctx, pool, { signedPart, expiresAt: account.expiresAt })
  return completeExternalSignIn(ctx, pool, { provider: 'google', account, client })
}

/**
 * Signs in to the linked account or opens one. Refuses `account_exists` if an account has the email, and
 * `external_sign_in_refused` without an email.
 */
async function completeExternalSignIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { provider, account, client }: { provider: ExternalProvider; account: ProviderAccount; client: Client },
): Promise<SignInOutcome> {
  const { now, realNow } = ctx
  const { issuer, subject } = account
  const linkedUser = await findUserByIdentity(pool, account)
  if (linkedUser !== undefined)
    return issueSession(ctx, pool, { credentials: linkedUser, signInMethod: provider, client })
  const { email, name, emailVerified } = readProviderAccount(account)
  if (email === undefined) return refuse('external_sign_in_refused', { reason: 'email_not_told' })
  const identity = { provider, issuer, subject, email }
  const username = proposeUsername(email.split('@')[0]?.split('+')[0], name)
  const emailVerifiedAt = emailVerified ? now() : undefined
  try {
    const user = { email, username, name, emailVerifiedAt, passwordHash: null }
    return await openAccount(ctx, pool, { identity, user, client })
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'email_taken')) throw error
  }
  const concurrentUser = await findUserByIdentity(pool, account)
  if (concurrentUser !== undefined)
    return issueSession(ctx, pool, { credentials: concurrentUser, signInMethod: provider, client })
  // Without a verified email no link is offered, because the address may belong to another person.
  if (!emailVerified) return refuse('account_exists', { reason: 'log_in_to_account' })
  return refuse('account_exists', {
    extra: { link: await createLinkOffer(pool, { identity, at: realNow() }), email, provider },
  })
}

async function openAccount(
  ctx: IdentityContext,
  pool: pg.Pool,
  { identity, user, client }: { identity: ExternalIdentity; user: NewUser; client: Client },
): Promise<SignedIn> {
  const { now, realNow, accountEvents } = ctx
  const { userId, openedSession } = await transact(pool, async (tx) => {
    const insertedUser = await insertWithFreeUsername(tx, { user, at: now() })
    const userId = BigInt(insertedUser.id)
    for (const { registered } of accountEvents) await registered?.(tx, { userId, at: now() })
    // A concurrent sign-in of the same person has just linked the identity.
    if (!(await addIdentity(tx, { userId, identity, at: realNow() }))) refuse('email_taken')
    if (!user.emailVerifiedAt) await mailVerification(ctx, tx, { userId, email: user.email })
    return {
      userId,
      openedSession: await openSessionInTransaction(ctx, tx, { userId, signInMethod: identity.provider, client }),
    }
  })
  return toSignedIn(ctx, pool, { userId, openedSession, isNewUser: true })
}

/**
 * Returns the signed part of a token; undefined if unsigned. The signature is left out, because it can be encoded in
 * several ways.
 */
const readSignedPart = (token: string): string | undefined => /^([\w-]+\.[\w-]+)\.[\w-]+$/.exec(token)?.[1]

/** Refuses a token whose signed part was used before. */
async function consumeIdToken(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  db: Db,
  { signedPart, expiresAt }: { signedPart: string; expiresAt: Date },
): Promise<void> {
  const { rowCount } = await db.query(
    `with swept as (delete from spent_id_token where expires_at < $3)
     insert into spent_id_token (hash, expires_at) values ($1, $2) on conflict do nothing`,
    [hashSecret(signedPart), expiresAt, realNow()],
  )
  if (!rowCount) refuse('external_sign_in_refused', { reason: 'sign_in_used' })
}
