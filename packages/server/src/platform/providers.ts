import type { BankProvider } from '@tern/providers/bank/port'
import { createSandboxBank } from '@tern/providers/bank/sandbox'
import { createStripeBank } from '@tern/providers/bank/stripe'
import type { CardProvider } from '@tern/providers/card/port'
import { createSandboxCard } from '@tern/providers/card/sandbox'
import { createStripeCard } from '@tern/providers/card/stripe'
import type { Clock } from '@tern/providers/clock/port'
import { createSandboxClock, type SandboxClock } from '@tern/providers/clock/sandbox'
import { systemClock } from '@tern/providers/clock/system'
import { type ProviderEvents, SignatureError } from '@tern/providers/events/port'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import { createStripeEvents } from '@tern/providers/events/stripe'
import type { IdentityProvider } from '@tern/providers/kyc/port'
import { createSandboxIdentity } from '@tern/providers/kyc/sandbox'
import type { MailProvider } from '@tern/providers/mail/port'
import { createSandboxMail } from '@tern/providers/mail/sandbox'
import { createSmtpMail } from '@tern/providers/mail/smtp'
import type { PayoutProvider } from '@tern/providers/payout/port'
import { createSandboxPayout } from '@tern/providers/payout/sandbox'
import { createStripePayout } from '@tern/providers/payout/stripe'
import type { RatesProvider } from '@tern/providers/rates/port'
import { createSandboxRates } from '@tern/providers/rates/sandbox'
import type { ReportProvider } from '@tern/providers/report/port'
import { createSandboxReport } from '@tern/providers/report/sandbox'
import { createStripeReport } from '@tern/providers/report/stripe'
import type { SandboxConnection } from '@tern/providers/sandbox-http'
import { createOidcSignIn } from '@tern/providers/signin/oidc'
import type { SignInProvider, SignInProviders } from '@tern/providers/signin/port'
import { connectStripe } from '@tern/providers/stripe-connection'
import type { Config, SignInClient, StripeAccount } from './runtime/config.ts'

/** Whoever moves our money: cards, banks, payouts, what they tell by themselves, and their books. */
export interface MoneyProvider {
  /** As it stands in the address of its events, and beside what it moved in the database. */
  readonly name: 'sandbox' | 'stripe' | 'none'
  readonly card: CardProvider
  readonly bank: BankProvider
  readonly payout: PayoutProvider
  readonly events: ProviderEvents
  readonly report: ReportProvider
}

/** The outside world as this configuration reaches it. */
export interface Providers {
  readonly clock: Clock
  /** The same clock where it can be moved: in sandbox mode only. */
  readonly sandboxClock: SandboxClock | undefined
  readonly money: MoneyProvider
  readonly rates: RatesProvider
  readonly kyc: IdentityProvider
  readonly mail: MailProvider
  readonly signIn: SignInProviders
  close(): void
}

/**
 * The sandbox in sandbox mode, but for mail where a mail server is configured, and for money where Stripe is. In
 * production a provider that is not configured is one that does not answer.
 */
export async function createProviders(config: Config): Promise<Providers> {
  const smtp = config.mail && createSmtpMail(config.mail)
  const stripe = config.stripe && (await createStripeMoney(config.stripe))
  if (!config.sandbox) {
    return {
      ...unconfigured,
      money: stripe ?? unconfigured.money,
      mail: smtp ?? unconfigured.mail,
      signIn: createSignIn(config),
      close: () => smtp?.close(),
    }
  }
  const { url, secret } = config.sandbox
  const clock = createSandboxClock({ url, secret })
  return {
    clock,
    sandboxClock: clock,
    money: stripe ?? createSandboxMoney({ url, secret }),
    rates: createSandboxRates({ url, secret }),
    kyc: createSandboxIdentity({ url, secret }),
    mail: smtp ?? createSandboxMail({ url, secret }),
    signIn: createSignIn(config),
    close() {
      clock.stop()
      smtp?.close()
    },
  }
}

const createSandboxMoney = (connection: SandboxConnection): MoneyProvider => ({
  name: 'sandbox',
  card: createSandboxCard(connection),
  bank: createSandboxBank(connection),
  payout: createSandboxPayout(connection),
  events: createSandboxEvents(connection),
  report: createSandboxReport(connection),
})

async function createStripeMoney(account: StripeAccount): Promise<MoneyProvider> {
  const connection = await connectStripe(account)
  return {
    name: 'stripe',
    card: createStripeCard(connection),
    bank: createStripeBank(connection),
    payout: createStripePayout(connection),
    events: createStripeEvents(connection),
    report: createStripeReport(connection),
  }
}

function createSignIn({ signIn: { external, google }, sandbox }: Config): SignInProviders {
  const at = ({ issuer, clientId, clientSecret }: SignInClient) =>
    createOidcSignIn({ issuer, clientId, clientSecret, allowHttp: issuer.startsWith('http:') })
  // An external provider may stand in front of Google, so the sandbox's stand-in is for those who configured neither.
  const standIn = external ? undefined : sandbox && createSandboxSignIn(sandbox)
  return { external: external && at(external), google: google ? at(google) : standIn }
}

const createSandboxSignIn = ({ url, publicUrl }: NonNullable<Config['sandbox']>): SignInProvider =>
  createOidcSignIn({ issuer: `${publicUrl}/oidc`, clientId: 'tern', allowHttp: true, reachAt: url })

const silent = (what: string) =>
  Promise.resolve({ status: 'unknown', reason: `No ${what} provider is configured` } as const)

const noMoney: MoneyProvider = {
  name: 'none',
  card: {
    createCheckout: () => silent('card'),
    charge: () => silent('card'),
    lookup: () => silent('card'),
    cancel: () => silent('card'),
    forgetCard: () => Promise.resolve(false),
  },
  bank: {
    beginLink: () => silent('bank'),
    lookupLink: () => silent('bank'),
    unlink: () => Promise.resolve(false),
    debit: () => silent('bank'),
    lookupDebit: () => silent('bank'),
    cancelDebit: () => silent('bank'),
  },
  payout: { pay: () => silent('payout'), lookup: () => silent('payout') },
  events: {
    verify: () => {
      throw new SignatureError('No payment provider is configured')
    },
  },
  report: { lines: () => silent('payment') },
}

const unconfigured: Providers = {
  clock: systemClock,
  sandboxClock: undefined,
  money: noMoney,
  rates: { latest: () => silent('rates') },
  kyc: { check: () => silent('identity') },
  mail: { send: () => silent('mail') },
  signIn: { external: undefined, google: undefined },
  close: () => {},
}
