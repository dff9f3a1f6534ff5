import { toDecimal } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { readRowView, type Wallet } from '../../wallets/wallets.ts'
import type { Mailbox, PaymentContext } from '../context.ts'
import { sendOf, paidSendRows, unmadePostings } from '../records/payment-postings.ts'
import { amountOf, type PaymentRow, transactionIdOf } from '../records/payment-rows.ts'
import { type Priced, targetsOf } from './late-prices.ts'

type Payer = Mailbox & { readonly wallet: Wallet }
type Moved = Extract<Priced, { status: 'moved' }>

/** What follows, beside the money, when the price of a payment does not hold any more. */
export interface MovedPrice {
  readonly reason: Moved['reason']
  /** Of a send, which is not made: lists it, so that its sender sees it fail. */
  readonly list: ((tx: Tx) => Promise<void>) | undefined
  /** Tells the payer, by mail and in the product, about the transaction of this id. */
  tell(tx: Tx, transactionId: string): Promise<void>
}

/** Looks up what follows; undefined for a send that cannot reach its recipient, which is not made whatever its price. */
export function movedOf(
  context: PaymentContext,
  promised: PaymentRow,
  moved: Moved,
  payer: Payer,
): Promise<MovedPrice | undefined> {
  return promised.purpose === 'send'
    ? sendMoved(context, promised, moved, payer)
    : depositMoved(context, promised, moved, payer)
}

const linkTo = ({ publicUrl }: PaymentContext, transactionId: string): string =>
  `${publicUrl}/transactions?details=${transactionId}`

async function sendMoved(context: PaymentContext, promised: PaymentRow, moved: Moved, payer: Payer) {
  const { notifications, pool } = context
  const send = await sendOf(context, promised)
  const list = await unmadePostings(context, promised, payer.wallet)
  if (!send || !list) return undefined
  const [sent] = paidSendRows(promised, send)
  const { counterparty } = await readRowView(pool, {
    row: sent,
    id: transactionIdOf(promised),
    at: promised.created_at,
    counterparty: send.recipient,
  })
  if (!counterparty) throw new Error(`the send ${promised.id} is to nobody`)
  const { id, username, name } = counterparty
  const person = { id, username, name: name ?? username }
  const { reason } = moved
  const targets = targetsOf(promised, moved.payment)
  const paid = amountOf(promised)
  return {
    reason,
    list,
    async tell(tx: Tx, transactionId: string) {
      const amounts = { promised: amountText(targets.promised), now: amountText(targets.now) }
      const mail = {
        person: person.name,
        amount: amountText(paid),
        ...amounts,
        reason,
        link: linkTo(context, transactionId),
      }
      await notifications.mail(tx, { to: payer, template: 'transfer_not_made', data: mail })
      const { description } = promised
      const params = { person, amount: toDecimal(paid), currency: paid.currency, description, reason }
      await notifications.notify(tx, {
        userId: payer.userId,
        code: 'transfer_not_made',
        params,
        subjectId: transactionId,
      })
    },
  }
}

async function depositMoved(context: PaymentContext, promised: PaymentRow, moved: Moved, payer: Payer) {
  const { notifications } = context
  const { now, promised: before } = targetsOf(promised, moved.payment)
  const { method } = promised
  return {
    reason: moved.reason,
    list: undefined,
    async tell(tx: Tx, transactionId: string) {
      const link = linkTo(context, transactionId)
      const mail = { amount: amountText(now), promised: amountText(before), link }
      await notifications.mail(tx, { to: payer, template: 'deposit_repriced', data: mail })
      const params = {
        amount: toDecimal(now),
        currency: now.currency,
        method: method === 'bank' ? method : 'card',
      } as const
      await notifications.notify(tx, {
        userId: payer.userId,
        code: 'deposit_repriced',
        params,
        subjectId: transactionId,
      })
    },
  }
}
