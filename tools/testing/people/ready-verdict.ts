// Verifies people of a test without the sandbox: its reviewer answers a moment later and by an event, which most tests are not about.

import { randomUUID } from 'node:crypto'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { IdentityProvider, IdentityResult } from '@tern/providers/kyc/port'
import { createKyc } from '../../../packages/server/src/features/kyc/kyc.ts'
import type { Config } from '../../../packages/server/src/platform/runtime/config.ts'
import { createRegistry } from '../../../packages/server/src/platform/providers/provider-registry.ts'
import type { Product } from '../../../packages/server/src/product.ts'
import { setBaseCurrency } from '../../../packages/server/src/features/wallets/wallets.ts'

/** Verifies whomever it is asked about, under the name that the sandbox's reviewer has in submissions. */
function readyReviewer(): IdentityProvider {
  const verified = (checkId: string): Promise<IdentityResult> =>
    Promise.resolve({ status: 'verified', checkId, reasons: [], isHosted: false })
  return {
    name: 'sandbox',
    leastPauseMs: 0,
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
 * Gives a function that hands in somebody's form as the product does, whose answer is there at once: the rows, the screening and
 * the notification are those of anybody who is verified. It gives the status that they have then.
 */
export function verifierOf(product: Product, { secret, publicUrl }: Pick<Config, 'secret' | 'publicUrl'>, log: Log) {
  const kyc = createKyc({
    ...{ pool: product.pool, secret, publicUrl, now: product.now, log },
    ...{ identity: product.identity, notifications: product.notifications },
    providers: createRegistry([readyReviewer()]),
    onVerified: (_ctx, tx, { userId, baseCurrency: currency }) => setBaseCurrency(tx, { userId, currency }),
    stopsVerification: product.compliance.stopsVerification,
  })
  return async (userId: number, form: VerificationForm): Promise<string> =>
    (await kyc.submit({ userId: BigInt(userId), form })).status
}

type Log = Parameters<typeof createKyc>[0]['log']
