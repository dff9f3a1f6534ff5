import { toDecimal } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { Send } from '../../transfers/transfers.ts'
import { readRowView, type Wallet } from '../../wallets/wallets.ts'
import type { Mailbox, PaymentContext } from '../context.ts'
import { listPending, findPrice, buildSendRows } from '../records/payment-postings.ts'
import { toAmount, deriveTransactionId } from '../records/payment-rows.ts'
import { type MovedPrice, compareTargets } from './arrival-prices.ts'
import type { PaymentRow } from '../row-types.ts'

/** Money that arrived after its price had moved too far, or below the sender's minimum. */
interface MovedArrival {
  readonly payer: Mailbox & { readonly wallet: Wallet }
  /** As stored, before repricing. */
  readonly payment: PaymentRow
  readonly send: Send | undefined
  readonly moved: MovedPrice
}

/** Lists a send as pending before it fails, so that its sender sees the failed transaction. */
export async function listUndeliverable(
  ctx: PaymentContext,
  tx: Tx,
  { payment, payer, send }: Omit<MovedArrival, 'moved'>,
) {
  const price = findPrice(payment)
  if (!send || !price) throw new Error(`the payment ${payment.id} sends nothing`)
  const promisedSend = { ...send, price, quoteId: payment.quote_id ?? undefined }
  await listPending(ctx, tx, { payment, wallet: payer.wallet, send: promisedSend, isAnnounced: false })
}

/** Notifies the payer, by mail and in the product, that a send was not made or a deposit was repriced. */
export function notifyPriceMoved(
  ctx: PaymentContext,
  tx: Tx,
  arrival: MovedArrival & { readonly transactionId: string },
): Promise<void> {
  return arrival.send ? notifyUnmadeSend(ctx, tx, arrival, arrival.send) : notifyRepricedDeposit(ctx, tx, arrival)
}

type MovedPriceNotice = MovedArrival & { readonly transactionId: string }

const buildTransactionLink = ({ publicUrl }: PaymentContext, transactionId: string): string =>
  `${publicUrl}/transactions?details=${transactionId}`

async function notifyUnmadeSend(
  ctx: PaymentContext,
  tx: Tx,
  { payer, payment, moved, transactionId }: MovedPriceNotice,
  send: Send,
): Promise<void> {
  const [senderRow] = buildSendRows(payment, send)
  const view = await readRowView(tx, {
    row: senderRow,
    id: deriveTransactionId(payment),
    at: payment.created_at,
    counterparty: send.recipient,
  })
  if (!view.counterparty) throw new Error(`the send ${payment.id} is to nobody`)
  const { id, username, name } = view.counterparty
  const person = { id, username, name: name ?? username }
  const { reason } = moved
  const targets = compareTargets(payment, moved.payment)
  const paidAmount = toAmount(payment)
  const mail = {
    person: person.name,
    amount: amountText(paidAmount),
    promised: amountText(targets.promised),
    now: amountText(targets.now),
    reason,
    link: buildTransactionLink(ctx, transactionId),
  }
  await ctx.notifications.mail(tx, { to: payer, template: 'transfer_not_made', data: mail })
  const params = {
    person,
    amount: toDecimal(paidAmount),
    currency: paidAmount.currency,
    description: payment.description,
    reason,
  }
  const notice = { code: 'transfer_not_made', params, subjectId: transactionId } as const
  await ctx.notifications.notify(tx, { userId: payer.userId, ...notice })
}

async function notifyRepricedDeposit(
  ctx: PaymentContext,
  tx: Tx,
  { payer, payment, moved, transactionId }: MovedPriceNotice,
): Promise<void> {
  const { now, promised } = compareTargets(payment, moved.payment)
  const mail = {
    amount: amountText(now),
    promised: amountText(promised),
    link: buildTransactionLink(ctx, transactionId),
  }
  await ctx.notifications.mail(tx, { to: payer, template: 'deposit_repriced', data: mail })
  const method = payment.method === 'bank' ? ('bank' as const) : ('card' as const)
  const params = { amount: toDecimal(now), currency: now.currency, method }
  const notice = { code: 'deposit_repriced', params, subjectId: transactionId } as const
  await ctx.notifications.notify(tx, { userId: payer.userId, ...notice })
}
