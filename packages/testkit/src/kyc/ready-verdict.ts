// For tests: verification without the sandbox, whose reviewer decides later and reports by an event.

import { randomUUID } from 'node:crypto'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { IdentityProvider, IdentityResult } from '@tern/providers/verify/port'
import { createKyc } from '@tern/server/features/kyc/kyc'
import type { Config } from '@tern/server/platform/runtime/config'
import { createRegistry } from '@tern/server/platform/providers/provider-registry'
import type { Product } from '@tern/server/product'
import { setBaseCurrency } from '@tern/server/features/wallets/wallets'

/** Creates a provider that verifies everyone, under the provider name that submissions expect. */
function createReviewer(): IdentityProvider {
  const verified = (checkId: string): Promise<IdentityResult> =>
    Promise.resolve({ status: 'verified', checkId, reasons: [], isHosted: false })
  return {
    name: 'sandbox',
    minPauseMs: 0,
    create: () => verified(`ck_${randomUUID()}`),
    lookup: verified,
    openPage: () => Promise.resolve({ status: 'ended' }),
    redact: () => Promise.resolve({ status: 'redacted' }),
    verifyEvent() {
      throw new Error('The ready reviewer sends no events')
    },
  }
}

/**
 * Returns a function that submits a person's form as the product does, but with an immediate decision, and returns the
 * resulting status. Rows, screening and notifications are those of any verified person.
 */
export function createVerifier(
  product: Product,
  { secret, publicUrl }: Pick<Config, 'secret' | 'publicUrl'>,
  log: Log,
) {
  const kyc = createKyc({
    ...{ pool: product.pool, secret, publicUrl, now: product.now, log },
    ...{ identity: product.identity, notifications: product.notifications },
    providers: createRegistry([createReviewer()]),
    accountEvents: [
      { verified: (tx, { userId, baseCurrency: currency }) => setBaseCurrency(tx, { userId, currency }) },
    ],
    stopsVerification: product.compliance.stopsVerification,
  })
  return async (userId: number, form: VerificationForm): Promise<string> =>
    (await kyc.submit({ userId: BigInt(userId), form })).status
}

type Log = Parameters<typeof createKyc>[0]['log']
