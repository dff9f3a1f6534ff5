// npm run transfers: lists the transfers that are held, and settles or rejects those that wait for an operator.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { money } from '@tern/money/money'
import { recordDataAccess } from '../features/privacy/privacy.ts'
import type { HeldTransfer } from '../features/transfers/transfers.ts'
import { transact, type Tx } from '../platform/database/db.ts'
import { amountText } from '../platform/http/amount.ts'
import { Refusal } from '../platform/refuse.ts'
import { type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run transfers                                         lists the transfers on hold
npm run transfers -- --settle ID --because "SENTENCE"     settles a transfer that waits for an operator
npm run transfers -- --reject ID --because "SENTENCE"     returns its money to the sender
                     [--by NAME]                          who decided`

interface Order {
  readonly verdict: 'settle' | 'reject'
  readonly id: string
  readonly operator: { readonly name: string; readonly note: string }
}

/** What is to be done; nothing to list, undefined when it cannot be read. */
function readOrder(parameters: readonly string[]): Order | 'list' | undefined {
  const text = { type: 'string' } as const
  const options = { settle: text, reject: text, because: text, by: text }
  let values: Partial<Record<keyof typeof options, string>>
  try {
    values = parseArgs({ args: [...parameters], options }).values
  } catch {
    return undefined
  }
  if (Object.keys(values).length === 0) return 'list'
  const { settle, reject, because, by = os.userInfo().username } = values
  const id = settle ?? reject
  if (id === undefined || (settle !== undefined && reject !== undefined)) return undefined
  if (!because?.trim() || !by.trim()) return undefined
  return { verdict: settle === undefined ? 'reject' : 'settle', id, operator: { name: by, note: because } }
}

const lineOf = ({ id, kind, hold_reason, held_until, sender_id, currency, amount_minor }: HeldTransfer): string =>
  [
    id,
    kind.replace('_', ' '),
    amountText(money(currency, amount_minor)),
    `of user ${sender_id}`,
    `${hold_reason} until ${held_until.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ].join('  ')

/** Everybody whose transfer is listed can read that it was. */
async function recordReadings(tx: Tx, held: readonly HeldTransfer[], operator: string, at: Date) {
  for (const userId of new Set(held.map(({ sender_id: id }) => id))) {
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

/** Does what the parameters say and gives the exit code: 2 when it could not be done. */
export async function transfers(
  parameters: readonly string[],
  environment: Environment,
  print: (text: string) => void,
): Promise<number> {
  const order = readOrder(parameters)
  if (!order) {
    print(usage)
    return 2
  }
  return exitCodeOf(
    print,
    (error) => error instanceof Refusal,
    () =>
      withProduct(settingsOf(environment), async ({ heldTransfers, pool, now, operatorPseudonym }) => {
        if (order === 'list') {
          const held = await heldTransfers.list()
          const operator = operatorPseudonym(os.userInfo().username)
          await transact(pool, (tx) => recordReadings(tx, held, operator, now()))
          print(held.length === 0 ? 'No transfer is on hold.' : held.map(lineOf).join('\n'))
          return 0
        }
        await heldTransfers.decideAs({ ...order, decision: order.verdict })
        print(`${order.id} is ${order.verdict === 'settle' ? 'settled' : 'rejected'}.`)
        return 0
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await transfers(process.argv.slice(2), process.env, console.log)
