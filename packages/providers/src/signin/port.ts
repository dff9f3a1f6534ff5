import type { Refused, Unknown } from '../outcome.ts'

/** What a person is to be shown at the provider; every value comes from a closed list, but for the hint of who it is. */
export interface VisitHints {
  /** Auth0's and others' wish for the page to begin with. */
  readonly screenHint?: 'login' | 'signup' | undefined
  /** The email that was typed on our page. */
  readonly loginHint?: string | undefined
  /** Which of the accounts behind an identity provider to use, where it stands in front of several. */
  readonly connection?: 'google-oauth2' | undefined
  /** Lets the person choose among their accounts even where they are signed in with one. */
  readonly chooseAccount?: boolean | undefined
}

/** What has to be remembered of a visit until the person comes back. */
export interface VisitSecrets {
  readonly state: string
  readonly nonce: string
  /** The PKCE verifier (RFC 7636). */
  readonly verifier: string
}

/** Where to send somebody, or that the provider did not answer. */
export type VisitStart = ({ status: 'ready'; url: string } & VisitSecrets) | Unknown

/** Somebody, as the provider knows them. `issuer` and `subject` together never mean anybody else. */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  /** The provider itself has made sure that the address is theirs. */
  readonly emailVerified: boolean
  readonly name: string | undefined
}

/**
 * `refused`: the provider said no, or what came back does not prove anything. `unknown`: the provider did not answer, or
 * not so that it could be read; nothing is known about the person.
 */
export type SignInResult = ({ status: 'signed_in' } & ProviderAccount) | Refused | Unknown

/** An ID token that was presented by itself; after `expiresAt` it would not be taken any more. */
export type IdTokenResult = ({ status: 'signed_in'; expiresAt: Date } & ProviderAccount) | Refused | Unknown

/** A place where people have accounts that they can sign in with here (OpenID Connect Core 1.0). */
export interface SignInProvider {
  /** Begins a visit that comes back to `redirectUri`. */
  begin(redirectUri: string, hints?: VisitHints): Promise<VisitStart>
  /** Ends a visit with the query that the provider came back with. A code is good once, so this is never repeated. */
  finish(visit: VisitSecrets & { redirectUri: string; query: string }): Promise<SignInResult>
  /** Reads an ID token that was issued for us at most ten minutes ago. */
  verifyIdToken(token: string): Promise<IdTokenResult>
}

/** Where people may sign in beside the product's own accounts. */
export interface SignInProviders {
  readonly external: SignInProvider | undefined
  /** Google itself; without it the external provider may stand in front of Google. */
  readonly google: SignInProvider | undefined
}
