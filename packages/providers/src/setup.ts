// Checks of our set-up at a provider: key, permissions, webhooks, accounts. No check changes anything or moves money.

import type { CurrencyCode } from '@tern/money/currency'

/** `not_checked`: could not be tried; `found` says why. */
export type SetupVerdict = 'ok' | 'warning' | 'fault' | 'not_checked'

export interface SetupFinding {
  readonly verdict: SetupVerdict
  /** Overrides the sentence of the topic. */
  readonly tried?: string
  readonly found: string
  /** Advice to the operator; missing if there is nothing to do. */
  readonly todo?: string
}

/** Subject of a check, and what the check does, as a sentence. */
export interface SetupTopic {
  readonly name: string
  readonly tried: string
}

/** Facts of this installation that the set-up at a provider must fit. */
export interface Installation {
  /** Origin of the webhook addresses. */
  readonly publicUrl: string
  readonly isProduction: boolean
  /** Currencies in which people withdraw. */
  readonly payoutCurrencies: readonly CurrencyCode[]
}

export interface ProviderSetup {
  readonly topics: readonly SetupTopic[]
  check(topic: string, installation: Installation): Promise<readonly SetupFinding[]>
  /** Returns the provider's clock, from a `Date` header; undefined without an answer. */
  readClock?(): Promise<Date | undefined>
}

export const ok = (found: string, tried?: string): SetupFinding => ({ verdict: 'ok', found, ...optionalTried(tried) })

export const fault = (found: string, todo: string, tried?: string): SetupFinding => ({
  verdict: 'fault',
  found,
  todo,
  ...optionalTried(tried),
})

export const warning = (found: string, todo: string, tried?: string): SetupFinding => ({
  verdict: 'warning',
  found,
  todo,
  ...optionalTried(tried),
})

export const notChecked = (found: string, todo?: string, tried?: string): SetupFinding => ({
  verdict: 'not_checked',
  found,
  ...(todo === undefined ? {} : { todo }),
  ...optionalTried(tried),
})

const optionalTried = (tried: string | undefined) => (tried === undefined ? {} : { tried })
