import type { ProviderSetup } from '../setup.ts'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Display options for the provider's page; all values come from closed lists, except for the login hint. */
export interface VisitHints {
  /** Initial page, a parameter of Auth0 and others. */
  readonly screenHint?: 'login' | 'signup' | undefined
  /** Email typed on our page. */
  readonly loginHint?: string | undefined
  /** Account provider to use, if an identity provider offers several. */
  readonly connection?: 'google-oauth2' | undefined
  /** Shows the account chooser even if the person is signed in with one account. */
  readonly chooseAccount?: boolean | undefined
}

/** Secrets to store until the person returns from the provider. */
export interface VisitSecrets {
  readonly state: string
  readonly nonce: string
  /** PKCE verifier (RFC 7636). */
  readonly verifier: string
}

/** Address of the provider's page, or the failure to reach the provider. */
export type VisitStart = ({ status: 'ready'; url: string } & VisitSecrets) | UnknownOutcome

/** Account at the provider. `issuer` and `subject` together identify exactly one person. */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  /** True if the provider itself has verified the address. */
  readonly emailVerified: boolean
  readonly name: string | undefined
}

/**
 * `refused`: the provider denied the sign-in, or its reply is not valid proof. `unknown`: no reply, or an unreadable
 * one; nothing is known about the person.
 */
export type SignInResult = ({ status: 'signed_in' } & ProviderAccount) | RefusedOutcome | UnknownOutcome

/** Result of verifying an ID token; after `expiresAt` the token would be refused. */
export type IdTokenResult =
  | ({ status: 'signed_in'; expiresAt: Date } & ProviderAccount)
  | RefusedOutcome
  | UnknownOutcome

/** Identity provider for sign-in (OpenID Connect Core 1.0). */
export interface SignInProvider {
  /** Checks our registration there, for `npx tern doctor`. */
  readonly setup?: ProviderSetup
  /** Starts a visit that returns to `redirectUri`. */
  begin(redirectUri: string, hints?: VisitHints): Promise<VisitStart>
  /** Completes a visit with the query of the provider's redirect. Must not be repeated: a code is valid once. */
  finish(visit: VisitSecrets & { redirectUri: string; query: string }): Promise<SignInResult>
  /** Verifies an ID token issued to us at most ten minutes ago. */
  verifyIdToken(token: string): Promise<IdTokenResult>
}

/** Providers for sign-in, besides the product's own accounts. */
export interface SignInProviders {
  readonly external: SignInProvider | undefined
  /** Google itself; without it, the external provider may offer Google. */
  readonly google: SignInProvider | undefined
}
