import os from 'node:os'
import { money } from '@tern/money/money'
import { recordDataAccess } from '../features/privacy/privacy.ts'
import type { HeldTransfer } from '../features/transfers/transfers.ts'
import { transact, type Tx } from '../platform/database/db.ts'
import { amountText } from '../platform/http/amount.ts'
import { parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

interface CommandOrder {
  readonly verdict: 'settle' | 'reject'
  readonly id: string
  readonly operator: { readonly name: string; readonly note: string }
}

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder | 'list' {
  const text = { type: 'string' } as const
  const { values } = parse({ args: [...parameters], options: { settle: text, reject: text, because: text, by: text } })
  if (Object.keys(values).length === 0) return 'list'
  const { settle, reject, because, by = os.userInfo().username } = values
  const id = settle ?? reject
  if (id === undefined || (settle !== undefined && reject !== undefined)) throw new UsageError()
  if (!because?.trim() || !by.trim()) throw new UsageError()
  return { verdict: settle === undefined ? 'reject' : 'settle', id, operator: { name: by, note: because } }
}

const formatLine = ({ id, kind, hold_reason, held_until, sender_id, currency, amount_minor }: HeldTransfer): string =>
  [
    id,
    kind.replace('_', ' '),
    amountText(money(currency, amount_minor)),
    `of user ${sender_id}`,
    `${hold_reason} until ${held_until.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ].join('  ')

/** Logs the operator's access for the sender of each listed transfer, who can see the log. */
async function recordReadings(tx: Tx, transfers: readonly HeldTransfer[], operator: string, at: Date) {
  for (const userId of new Set(transfers.map(({ sender_id: id }) => id))) {
    await recordDataAccess(tx, {
      userId,
      role: 'operator',
      operator,
      purpose: 'held_transfers',
      what: ['payments'],
      at,
    })
  }
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async ({ heldTransfers, pool, now, operatorPseudonym }) => {
    if (order === 'list') {
      const heldList = await heldTransfers.list()
      const operator = operatorPseudonym(os.userInfo().username)
      await transact(pool, (tx) => recordReadings(tx, heldList, operator, now()))
      print(heldList.length === 0 ? 'No transfer is on hold.' : heldList.map(formatLine).join('\n'))
      return 0
    }
    await heldTransfers.decideForOperator({ ...order, decision: order.verdict })
    print(`${order.id} is ${order.verdict === 'settle' ? 'settled' : 'rejected'}.`)
    return 0
  })
}
