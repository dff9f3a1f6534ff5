import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../../../platform/database/db.ts'
import { amountText } from '../../../../platform/http/amount.ts'
import { createSignedIds } from '../../../../platform/keys/signed-ids.ts'
import { refuse } from '../../../../platform/refuse.ts'
import type { Secret } from '../../../../platform/seal.ts'
import type { Notifications } from '../../../notifications/notifications.ts'
import { confirmFromOf, findHeld, type HeldTransfer } from '../held-rows.ts'
import type { HeldTransfers } from '../held-transfers.ts'
import type { MailOptions } from '../return-mail.ts'

interface Options extends MailOptions {
  readonly pool: pg.Pool
  readonly notifications: Pick<Notifications, 'notify' | 'mail'>
  readonly heldTransfers: Pick<HeldTransfers, 'cancel'>
  readonly secret: Secret
  readonly now: () => Date
}

/** What senders are told of payments that street mode holds, and the link by which they cancel them in one step. */
export function createStreetHolds(options: Options) {
  const { pool, heldTransfers, secret } = options
  const codes = createSignedIds(secret, 'tern cancel link')

  return {
    /** Tells senders of what waits, each transfer once, beside any number of other workers; gives how many. */
    async tellDue(): Promise<number> {
      for (let told = 0; ; told += 1) {
        if (!(await transact(pool, (tx) => tellNext(options, tx, codes.dataOf)))) return told
      }
    },

    /** Cancels the transfer of a mailed link, in whatever browser. Refuses `link_invalid`, `not_cancelable`. */
    async cancelByLink(code: string): Promise<void> {
      const id = codes.read(code) ?? refuse('link_invalid')
      const held = (await findHeld(pool, id)) ?? refuse('link_invalid')
      await heldTransfers.cancel(held.sender_id, id)
    },
  }
}

export type StreetHolds = ReturnType<typeof createStreetHolds>

async function tellNext(options: Options, tx: Tx, codeOf: (id: string) => string): Promise<boolean> {
  const { rows } = await tx.query<HeldTransfer>(
    `select transfer.*, confirm_after_seconds from street_hold join transfer on id = transfer_id
      where told_at is null and state <> 'awaiting_funding' and not (state = 'held' and hold_reason = 'compliance')
      order by transfer_id limit 1 for update of street_hold skip locked`,
  )
  const [held] = rows
  if (!held) return false
  await tx.query('update street_hold set told_at = $2 where transfer_id = $1', [held.id, options.now()])
  // Whatever was decided meanwhile needs nobody's attention.
  if (held.state === 'held' && held.hold_reason === 'street_mode') await tell(options, tx, held, codeOf(held.id))
  return true
}

async function tell(
  { identity, notifications, publicUrl }: Options,
  tx: Tx,
  held: HeldTransfer,
  code: string,
): Promise<void> {
  const { id, sender_id: userId, held_until: until, currency, amount_minor: minor } = held
  const from = confirmFromOf(held)
  const sender = (await identity.usersById(tx, [userId])).get(userId)
  if (!from || !sender) throw new Error(`transfer ${id} has no sender, or nothing to wait for`)
  const amount = money(currency, minor)
  const params = { amount: toDecimal(amount), currency, from: from.toISOString(), until: until.toISOString() }
  await notifications.notify(tx, { userId, code: 'street_hold', params, subjectId: id, needsAction: true })
  await notifications.mail(tx, {
    to: { userId, email: sender.email },
    template: 'payment_waits',
    data: {
      ...{ amount: amountText(amount), from: params.from, until: params.until },
      link: `${publicUrl}/transactions?details=${id}`,
      cancelLink: `${publicUrl}/cancel#code=${code}`,
    },
  })
}
