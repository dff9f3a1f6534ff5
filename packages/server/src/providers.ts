import { createSandboxCard } from '@tern/providers/card/sandbox'
import { type CardProvider, SignatureError } from '@tern/providers/card/port'
import type { Clock } from '@tern/providers/clock/port'
import { createSandboxClock, type SandboxClock } from '@tern/providers/clock/sandbox'
import { systemClock } from '@tern/providers/clock/system'
import type { IdentityProvider } from '@tern/providers/kyc/port'
import { createSandboxIdentity } from '@tern/providers/kyc/sandbox'
import type { MailProvider } from '@tern/providers/mail/port'
import { createSandboxMail } from '@tern/providers/mail/sandbox'
import { createSmtpMail } from '@tern/providers/mail/smtp'
import type { RatesProvider } from '@tern/providers/rates/port'
import { createSandboxRates } from '@tern/providers/rates/sandbox'
import { createOidcSignIn } from '@tern/providers/signin/oidc'
import type { SignInProvider, SignInProviders } from '@tern/providers/signin/port'
import type { Config, SignInClient } from './config.ts'

/** The outside world as this configuration reaches it. */
export interface Providers {
  readonly name: string
  readonly clock: Clock
  /** The same clock where it can be moved: in sandbox mode only. */
  readonly sandboxClock: SandboxClock | undefined
  readonly card: CardProvider
  readonly rates: RatesProvider
  readonly kyc: IdentityProvider
  readonly mail: MailProvider
  readonly signIn: SignInProviders
  close(): void
}

/**
 * The sandbox in sandbox mode, but for mail where a mail server is configured. In production a provider that is not
 * configured is one that does not answer.
 */
export function createProviders(config: Config): Providers {
  const smtp = config.mail && createSmtpMail(config.mail)
  if (!config.sandbox) {
    return {
      ...unconfigured,
      mail: smtp ?? unconfigured.mail,
      signIn: createSignIn(config),
      close: () => smtp?.close(),
    }
  }
  const { url, secret } = config.sandbox
  const clock = createSandboxClock({ url, secret })
  return {
    name: 'sandbox',
    clock,
    sandboxClock: clock,
    card: createSandboxCard({ url, secret }),
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

const unconfigured: Providers = {
  name: 'none',
  clock: systemClock,
  sandboxClock: undefined,
  card: {
    createCheckout: () => silent('card'),
    lookup: () => silent('card'),
    verifyEvent: () => {
      throw new SignatureError('No card provider is configured')
    },
  },
  rates: { latest: () => silent('rates') },
  kyc: { check: () => silent('identity') },
  mail: { send: () => silent('mail') },
  signIn: { external: undefined, google: undefined },
  close: () => {},
}
