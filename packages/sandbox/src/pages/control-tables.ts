import type { ControlEntry, ControlTarget, ControlTargets } from '../control/control-targets.ts'
import type { LiquidityOrder } from '../market/liquidity.ts'
import { formatAmount, formatUnits } from '../server/currency.ts'
import type { Delivery } from '../server/webhooks.ts'
import { html, type Html } from './html.ts'
import { formatMoment } from './layout.ts'
import { renderSection } from './table-section.ts'

const maxRows = 20

const labels: Readonly<Record<string, string>> = {
  settle: 'Settle',
  pay: 'Settle',
  fail: 'Fail',
  return: 'Return',
  refund: 'Refund',
  refund_half: 'Refund half',
  fail_refund: 'Fail refund',
  dispute: 'Dispute',
  win_dispute: 'Win dispute',
  lose_dispute: 'Lose dispute',
  charge_fee: 'Charge fee',
}

const texts: Readonly<Record<keyof ControlTargets, { title: string; column: string; lead: string }>> = {
  payments: {
    title: 'Card payments',
    column: 'Payment',
    lead: 'The newest first. Settle captures the money, also after an end without it; a dispute takes it back.',
  },
  debits: {
    title: 'Bank debits',
    column: 'Debit',
    lead: 'The newest first. Each ends by itself after some business days, as its bank does.',
  },
  payouts: {
    title: 'Payouts',
    column: 'Payout',
    lead: 'The newest first. Each arrives by itself after some business days, unless its bank is one that refuses.',
  },
}

/** Form with one button; `action` follows its label for screen readers. */
const actionButton = (address: string, label: string, action: string): Html =>
  html`<form method="post" action="${address}">
    <button class="small" type="submit">${label}<span class="hidden"> ${action}</span></button>
  </form>`

function entryRow(name: keyof ControlTargets, entry: ControlEntry): Html[] {
  const { id, status, amount_minor, currency, reference, about, created_at, due_at, actions } = entry
  const amount = formatAmount(amount_minor, currency)
  return [
    html`<th scope="row">
      <b class="figures">${amount} ${currency}</b>
      <span class="sub">${about}</span>
      <span class="sub code">${id}</span>
      <span class="sub code">for ${reference}</span>
    </th>`,
    html`<td>
      <b class="state">${status}</b>
      <span class="sub">made ${formatMoment(created_at)}</span>
      ${due_at === null ? null : html`<span class="sub">goes on by itself ${formatMoment(due_at)}</span>`}
    </td>`,
    html`<td>
      <div class="row-actions">
        ${actions.map((action) =>
          actionButton(
            `/control/${name}/${encodeURIComponent(id)}/${action}`,
            labels[action] ?? action,
            `${amount} for ${reference}`,
          ),
        )}
      </div>
    </td>`,
  ]
}

/** Table of card payments, debits or payouts, with the possible actions on each. */
export const targetTable = (name: keyof ControlTargets, target: ControlTarget): Html =>
  renderSection({
    id: name,
    title: texts[name].title,
    lead: texts[name].lead,
    columns: [texts[name].column, 'Status', 'Do'],
    rows: target.list(maxRows).map((entry) => entryRow(name, entry)),
    empty: 'None yet.',
  })

function deliveryRow({ number, event_id, type, created_at, state, attempts, last_answer }: Delivery): Html[] {
  const attemptsText = attempts === 1 ? 'tried once' : `tried ${attempts} times`
  return [
    html`<th scope="row">
      <b>${type}</b>
      <span class="sub">${formatMoment(created_at)}</span>
      <span class="sub code">${event_id}</span>
    </th>`,
    html`<td>
      <b class="state">${state}</b>
      <span class="sub">${attemptsText}${last_answer === null ? '' : `: ${last_answer}`}</span>
    </td>`,
    html`<td>
      <div class="row-actions">
        ${actionButton(`/control/webhooks/${number}/resend`, 'Send again', `${type} ${event_id}`)}
      </div>
    </td>`,
  ]
}

export const deliveryTable = (deliveries: readonly Delivery[]): Html =>
  renderSection({
    id: 'deliveries',
    title: 'Webhooks',
    lead: 'The newest first; a doubled event stands here twice. Dropped ones wait until somebody sends them.',
    columns: ['Event', 'Status', 'Do'],
    rows: deliveries.map(deliveryRow),
    empty: 'None yet.',
  })

const rejections: Readonly<Record<string, string>> = {
  no_counterparty: 'nobody took it',
  amount_too_small: 'it buys nothing',
  amount_too_large: 'it buys too much',
}

function liquidityRow(order: LiquidityOrder): Html[] {
  const { id, order_id, status, sell_currency, sell_minor, buy_currency, bought_minor, reason, due_at } = order
  const boughtText = bought_minor === null ? buy_currency : formatUnits(bought_minor, buy_currency)
  return [
    html`<th scope="row">
      <b class="figures">${formatUnits(sell_minor, sell_currency)}</b>
      <span class="sub figures">for ${boughtText}</span>
      <span class="sub code">${order_id}</span>
      <span class="sub code">placed as ${id}</span>
    </th>`,
    html`<td>
      <b class="state">${status}</b>
      <span class="sub">made ${formatMoment(order.created_at)}</span>
      ${reason === null ? null : html`<span class="sub">${rejections[reason] ?? reason}</span>`}
      ${due_at === null ? null : html`<span class="sub">goes on by itself ${formatMoment(due_at)}</span>`}
    </td>`,
  ]
}

export const liquidityTable = (orders: readonly LiquidityOrder[]): Html =>
  renderSection({
    id: 'liquidity-orders',
    title: 'Liquidity orders',
    lead: 'The newest first. Each is filled by itself, at the market’s rate of that moment less the slippage.',
    columns: ['Sold', 'Status'],
    rows: orders.map(liquidityRow),
    empty: 'None yet.',
  })
