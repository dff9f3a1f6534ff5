import type { Db } from '../../platform/database/db.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { PromiseQueues } from './liquidity/promise-batches.ts'
import type { QuoteSigner } from './quote.ts'
import type { Rates } from './rates/rates.ts'

interface UndoWindows {
  /** Returns the number of seconds in which a send to this payee can be undone. */
  secondsFor(db: Db, send: { readonly senderId: bigint; readonly recipientId: bigint }): Promise<number>
}

/** Dependencies of prices and quotes. */
export interface ExchangeContext {
  readonly rates: Rates
  readonly wallets: Pick<Wallets, 'accountIds'>
  readonly signer: QuoteSigner
  readonly promises: PromiseQueues
  readonly undoWindows: UndoWindows
  readonly now: () => Date
}
