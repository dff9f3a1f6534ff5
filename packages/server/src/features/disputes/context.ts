import { findCountry } from '@tern/contract/countries'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../platform/database/db.ts'
import type { Seal } from '../../platform/seal.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import { readResidence } from '../kyc/kyc.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Payments } from '../payments/payments.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'

/** Dependencies of disputes. */
export interface DisputeContext {
  /** Seals uploaded files. */
  readonly fileSeal: Seal
  readonly mover: Mover
  readonly exchange: Pick<Exchange, 'usdMinorOf'>
  readonly wallets: Wallets
  readonly identity: Pick<Identity, 'usersById' | 'freezeInTransaction' | 'completeFreeze'>
  readonly payments: Pick<Payments, 'askProvider'>
  readonly notifications: Pick<Notifications, 'mail' | 'notify'>
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

/** Returns the country of residence as ISO 3166-1 alpha-2; `*` until it is verified. */
export async function readCountryCode(db: Db, userId: bigint): Promise<string> {
  return findCountry((await readResidence(db, userId)) ?? '')?.code ?? '*'
}
