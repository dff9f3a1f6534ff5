// Notices about orders, in the product and by email.

import { pages } from '@tern/contract/pages'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { type Money, toDecimal } from '@tern/money/money'
import { type Ratio, toRateText } from '@tern/money/ratio'
import type { Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { type OrderOptions, type OrderRow, sourceOf } from './order-rows.ts'
import { rateSideOf } from './order-terms.ts'
import { inRateCurrency } from './order-view.ts'

type TellOptions = Pick<OrderOptions, 'notifications' | 'identity' | 'publicUrl'>

export const orderPage = pages.orders.path
export const rulePage = pages.protection.path

/** Formats a rate as a sentence: `1 USDT = 0.955 EUR`. */
export const rateSentence = (rate: string, of: string, other: string): string => `1 ${of} = ${rate} ${other}`

const otherOf = ({ rate_currency: of, source_currency: source, target_currency: target }: OrderRow) =>
  of === source ? target : source

const paramsOf = (row: OrderRow, rate: string): NotificationParams['order_expired'] => ({
  kind: row.kind,
  amount: toDecimal(sourceOf(row)),
  currency: row.source_currency,
  target_currency: row.target_currency,
  rate,
  rate_currency: row.rate_currency,
  rate_side: rateSideOf(row.kind, row.rate_currency, row.source_currency),
})

const mailOf = (row: OrderRow, publicUrl: string) => ({
  kind: row.kind,
  amount: amountText(sourceOf(row)),
  targetCurrency: row.target_currency,
  rate: rateSentence(row.rate, row.rate_currency, otherOf(row)),
  rateSide: rateSideOf(row.kind, row.rate_currency, row.source_currency),
  link: `${publicUrl}${orderPage}`,
})

export async function mailboxOf(identity: OrderOptions['identity'], userId: bigint, tx: Tx) {
  const user = (await identity.usersById(tx, [userId])).get(userId)
  if (!user) throw new Error(`user ${userId} is not there`)
  return { userId, email: user.email }
}

/** Announces a filled order, in the transaction of the fill. */
export async function tellFilled(
  { notifications, identity, publicUrl }: TellOptions,
  tx: Tx,
  row: OrderRow,
  { target, rate, fee }: { target: Money; rate: Ratio; fee: Money },
): Promise<void> {
  const filledAt = toRateText(inRateCurrency(rate, row))
  await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_filled',
    params: { ...paramsOf(row, filledAt), target_amount: toDecimal(target) },
    subjectId: row.id,
  })
  await notifications.mail(tx, {
    to: await mailboxOf(identity, row.user_id, tx),
    template: 'order_filled',
    data: {
      ...mailOf(row, publicUrl),
      target: amountText(target),
      filledAt: rateSentence(filledAt, row.rate_currency, otherOf(row)),
      fee: amountText(fee),
    },
  })
}

/** Announces an expired order, in the transaction that ends it. */
export async function tellExpired(
  { notifications, identity, publicUrl }: TellOptions,
  tx: Tx,
  row: OrderRow,
): Promise<void> {
  await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_expired',
    params: paramsOf(row, row.rate),
    subjectId: row.id,
  })
  const mailbox = await mailboxOf(identity, row.user_id, tx)
  await notifications.mail(tx, { to: mailbox, template: 'order_expired', data: mailOf(row, publicUrl) })
}

/** Explains why an order with a reached rate was not filled; once per version of the order and reason. */
export async function tellWaiting(
  { notifications, identity, publicUrl }: TellOptions,
  tx: Tx,
  row: OrderRow,
  reason: string,
): Promise<void> {
  const isNew = await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_waits',
    params: { ...paramsOf(row, row.rate), reason },
    subjectId: row.id,
    dedupe: `${row.id} ${String(row.version)} ${reason}`,
    needsAction: reason !== 'worst_rate',
  })
  if (!isNew) return
  const mailbox = await mailboxOf(identity, row.user_id, tx)
  await notifications.mail(tx, { to: mailbox, template: 'order_waits', data: { ...mailOf(row, publicUrl), reason } })
}
