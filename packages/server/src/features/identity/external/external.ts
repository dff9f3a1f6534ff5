import type {
  IdTokenResult,
  ProviderAccount,
  SignInProviders,
  SignInResult,
  VisitHints,
} from '@tern/providers/signin/port'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { SignInCompletion, SecondFactorRequired, SignedIn } from '../sign-in/complete-sign-in.ts'
import type { EmailLinks } from '../email-links/email-links.ts'
import {
  addIdentity,
  type ExternalIdentity,
  type ExternalProvider,
  insertUnderFreeUsername,
  offerLink,
  readProviderAccount,
  usernameFrom,
  verifiedByIdentity,
} from './external-accounts.ts'
import { createVisits, type VisitMode } from './oauth-state.ts'
import type { Log } from '../log.ts'
import { hashOfSecret } from '../secrets.ts'
import type { Client } from '../sessions/sessions.ts'

export interface ExternalVisit {
  readonly provider: ExternalProvider
  readonly mode: VisitMode
  readonly screenHint?: VisitHints['screenHint']
  readonly loginHint?: string | undefined
  /** A path on our site to continue to. */
  readonly from?: string | undefined
}

type Arrival = SignedIn | SecondFactorRequired

/** Sign-in at identity providers, whose accounts are matched by issuer and subject, never by email. */
export interface ExternalSignIn {
  signInMethods(): { google: boolean; external: boolean }
  /** The provider URL to open. Refuses `not_found`, `sign_in_provider_unavailable`. */
  startExternalSignIn(visit: ExternalVisit, client: Client): Promise<string>
  /**
   * Ends the visit of `query`, in the browser that began it. Refuses `external_sign_in_refused`,
   * `sign_in_provider_unavailable`, and `account_exists`, with a `link` for `/auth/external/link` if the provider
   * verified the email. Refusals of a known visit carry `mode` and `from`.
   */
  finishExternalSignIn(
    query: string,
    client: Client,
  ): Promise<{ arrival: Arrival; mode: VisitMode; from: string | undefined }>
  /** Signs in with a Google ID token, once. Refuses like `finishExternalSignIn`, and `not_found`. */
  googleLogin(token: string, client: Client): Promise<Arrival>
}

export interface ExternalParts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly providers: SignInProviders
  readonly signInCompletion: SignInCompletion
  readonly emailLinks: Pick<EmailLinks, 'mailVerification'>
  readonly publicUrl: string
  readonly now: () => Date
  readonly realNow: () => Date
  readonly log: Log
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
}

export function createExternalSignIn(parts: ExternalParts): ExternalSignIn {
  const { pool, seal, providers, publicUrl, realNow, log } = parts
  const visits = createVisits({ pool, seal, realNow })
  const arrive = createArrival(parts)
  const redirectUri = `${publicUrl}/auth/callback`

  /** Google, or a provider in front of it. */
  function choose(provider: ExternalProvider) {
    if (provider === 'google' && providers.google) return { at: providers.google, hints: { chooseAccount: true } }
    const connection = provider === 'google' ? ('google-oauth2' as const) : undefined
    return providers.external ? { at: providers.external, hints: { connection } } : refuse('not_found')
  }

  function turnDown(provider: ExternalProvider, reason: string): never {
    log.info({ provider, reason }, 'identity provider did not sign somebody in')
    return refuse('external_sign_in_refused')
  }

  function tellDown(provider: ExternalProvider, reason: string): never {
    log.warn({ provider, reason }, 'identity provider does not answer')
    return refuse('sign_in_provider_unavailable')
  }

  /** The verified result of a provider. Refuses otherwise. */
  function accept<R extends SignInResult | IdTokenResult>(provider: ExternalProvider, result: R) {
    if (result.status === 'signed_in') return result as Extract<R, { status: 'signed_in' }>
    return result.status === 'refused' ? turnDown(provider, result.reason) : tellDown(provider, result.reason)
  }

  return {
    signInMethods: () => ({
      google: providers.google !== undefined || providers.external !== undefined,
      external: providers.external !== undefined,
    }),
    async startExternalSignIn({ provider, mode, screenHint, loginHint, from }, client) {
      const { at, hints } = choose(provider)
      const start = await at.begin(redirectUri, { ...hints, screenHint, loginHint })
      if (start.status === 'unknown') return tellDown(provider, start.reason)
      const { url, state, nonce, verifier } = start
      await visits.remember({ provider, mode, from, state, nonce, verifier }, client)
      return url
    },
    async finishExternalSignIn(query, client) {
      const state = new URLSearchParams(query).get('state')
      const visit = state === null ? undefined : await visits.take(state, client)
      if (!visit) {
        return refuse('external_sign_in_refused', {
          reason: 'sign_in_expired',
        })
      }
      const { provider, mode, from } = visit
      try {
        const result = await choose(provider).at.finish({ ...visit, redirectUri, query })
        return { arrival: await arrive(provider, accept(provider, result), client), mode, from }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        throw new Refusal(error.code, { ...error.details, extra: { ...error.details.extra, mode, from } })
      }
    },
    async googleLogin(token, client) {
      const { google } = providers
      if (!google) return refuse('not_found')
      const signed = signedPartOf(token) ?? turnDown('google', 'not a signed token')
      const account = accept('google', await google.verifyIdToken(token))
      await spend(pool, signed, account.expiresAt, realNow())
      return arrive('google', account, client)
    },
  }
}

/** Finds or opens the account for a provider's, or refuses with a way to connect. */
function createArrival(parts: ExternalParts) {
  const { pool, signInCompletion, emailLinks, now, realNow, onRegistered } = parts

  async function open(identity: ExternalIdentity, user: Parameters<typeof insertUnderFreeUsername>[1], client: Client) {
    const { userId, opened } = await transact(pool, async (tx) => {
      const added = await insertUnderFreeUsername(tx, user, now())
      const userId = BigInt(added.id)
      await onRegistered(tx, { id: userId })
      // The same person in another window was faster.
      if (!(await addIdentity(tx, userId, identity, realNow()))) refuse('email_taken')
      if (!user.emailVerifiedAt) await emailLinks.mailVerification(tx, { userId, email: user.email })
      return { userId, opened: await signInCompletion.openWithin(tx, userId, identity.provider, client) }
    })
    return signInCompletion.toSignedIn(userId, opened, true)
  }

  return async function arrive(provider: ExternalProvider, account: ProviderAccount, client: Client): Promise<Arrival> {
    const { issuer, subject } = account
    const known = await verifiedByIdentity(pool, account)
    if (known !== undefined) return signInCompletion.issueSession(known, provider, client)
    const { email, name, emailVerified } = readProviderAccount(account)
    if (email === undefined) {
      return refuse('external_sign_in_refused', {
        reason: 'email_not_told',
      })
    }
    const identity = { provider, issuer, subject, email }
    const username = usernameFrom(email.split('@')[0]?.split('+')[0], name)
    const emailVerifiedAt = emailVerified ? now() : undefined
    try {
      return await open(identity, { email, username, name, emailVerifiedAt, passwordHash: null }, client)
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'email_taken')) throw error
    }
    const quicker = await verifiedByIdentity(pool, account)
    if (quicker !== undefined) return signInCompletion.issueSession(quicker, provider, client)
    // An unverified address must not lead to its real owner's account.
    if (!emailVerified) return refuse('account_exists', { reason: 'log_in_to_account' })
    return refuse('account_exists', { extra: { link: await offerLink(pool, identity, realNow()), email, provider } })
  }
}

/** What the signature covers, since a signature has several spellings. Undefined for unsigned tokens. */
const signedPartOf = (token: string): string | undefined => /^([\w-]+\.[\w-]+)\.[\w-]+$/.exec(token)?.[1]

/** Refuses a token whose signed part was seen before. */
async function spend(pool: pg.Pool, signed: string, expiresAt: Date, at: Date): Promise<void> {
  const { rowCount } = await pool.query(
    `with swept as (delete from spent_id_token where expires_at < $3)
     insert into spent_id_token (hash, expires_at) values ($1, $2) on conflict do nothing`,
    [hashOfSecret(signed), expiresAt, at],
  )
  if (!rowCount) refuse('external_sign_in_refused', { reason: 'sign_in_used' })
}
