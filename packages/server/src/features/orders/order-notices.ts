// Notifications and mails about orders.

import { pages } from '@tern/contract/pages'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { type Money, toDecimal } from '@tern/money/money'
import { type Ratio, toRateText } from '@tern/money/ratio'
import type { Db, Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import type { NoticeContext } from './context.ts'
import { toSourceAmount } from './order-rows.ts'
import { chooseRateSide } from './order-terms.ts'
import { toRateCurrency } from './order-view.ts'
import type { ExchangeOrderRow } from './row-types.ts'

export const orderPage = pages.orders.path
export const rulePage = pages.protection.path

/** Formats a rate such as `1 USDT = 0.955 EUR`. */
export const formatRate = (rate: string, base: string, quote: string): string => `1 ${base} = ${rate} ${quote}`

/** Formats a rate per unit of the order's `rate_currency`. */
const formatOrderRate = (row: ExchangeOrderRow, rate: string): string => {
  const { rate_currency: base, source_currency: source, target_currency: target } = row
  return formatRate(rate, base, base === source ? target : source)
}

const noticeParams = (row: ExchangeOrderRow, rate: string): NotificationParams['order_expired'] => ({
  kind: row.kind,
  amount: toDecimal(toSourceAmount(row)),
  currency: row.source_currency,
  target_currency: row.target_currency,
  rate,
  rate_currency: row.rate_currency,
  rate_side: chooseRateSide(row.kind, row.rate_currency, row.source_currency),
})

const mailData = (row: ExchangeOrderRow, publicUrl: string) => ({
  kind: row.kind,
  amount: amountText(toSourceAmount(row)),
  targetCurrency: row.target_currency,
  rate: formatOrderRate(row, row.rate),
  rateSide: chooseRateSide(row.kind, row.rate_currency, row.source_currency),
  link: `${publicUrl}${orderPage}`,
})

/** Returns the mail recipient for an account holder. */
export async function readMailbox({ identity }: Pick<NoticeContext, 'identity'>, db: Db, userId: bigint) {
  const user = (await identity.usersById(db, [userId])).get(userId)
  if (!user) throw new Error(`user ${userId} is not there`)
  return { userId, email: user.email }
}

interface FilledOrder {
  readonly row: ExchangeOrderRow
  readonly target: Money
  readonly rate: Ratio
  readonly fee: Money
}

/** Notifies the account holder of a filled order, in the transaction of the fill. */
export async function notifyFilled(ctx: NoticeContext, tx: Tx, { row, target, rate, fee }: FilledOrder): Promise<void> {
  const { notifications, publicUrl } = ctx
  const filledAt = toRateText(toRateCurrency(rate, row))
  await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_filled',
    params: { ...noticeParams(row, filledAt), target_amount: toDecimal(target) },
    subjectId: row.id,
  })
  await notifications.mail(tx, {
    to: await readMailbox(ctx, tx, row.user_id),
    template: 'order_filled',
    data: {
      ...mailData(row, publicUrl),
      target: amountText(target),
      filledAt: formatOrderRate(row, filledAt),
      fee: amountText(fee),
    },
  })
}

/** Notifies the account holder of an expired order, in the transaction that ends it. */
export async function notifyExpired(ctx: NoticeContext, tx: Tx, row: ExchangeOrderRow): Promise<void> {
  const { notifications, publicUrl } = ctx
  await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_expired',
    params: noticeParams(row, row.rate),
    subjectId: row.id,
  })
  const to = await readMailbox(ctx, tx, row.user_id)
  await notifications.mail(tx, { to, template: 'order_expired', data: mailData(row, publicUrl) })
}

/** Notifies why an order was not filled although its rate was reached, once per version of the order and reason. */
export async function notifyWaiting(
  ctx: NoticeContext,
  tx: Tx,
  { row, reason }: { readonly row: ExchangeOrderRow; readonly reason: string },
): Promise<void> {
  const { notifications, publicUrl } = ctx
  const isNew = await notifications.notify(tx, {
    userId: row.user_id,
    code: 'order_waits',
    params: { ...noticeParams(row, row.rate), reason },
    subjectId: row.id,
    dedupe: `${row.id} ${String(row.version)} ${reason}`,
    needsAction: reason !== 'worst_rate',
  })
  if (!isNew) return
  const to = await readMailbox(ctx, tx, row.user_id)
  await notifications.mail(tx, { to, template: 'order_waits', data: { ...mailData(row, publicUrl), reason } })
}
