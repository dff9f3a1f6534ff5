import os from 'node:os'
import { findPerson } from '../features/desk/find-person.ts'
import { writeLine } from '../features/desk/log.ts'
import { transact } from '../platform/database/db.ts'
import type { Product } from '../product.ts'
import { parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

interface CommandOrder {
  /** User number, username or email; undefined for all users. */
  readonly who: string | undefined
  readonly operator: { readonly name: string; readonly reason: string }
}

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder {
  const text = { type: 'string' } as const
  const options = { end: text, 'end-all': { type: 'boolean' }, because: text, by: text } as const
  const { values } = parse({ args: [...parameters], options })
  const { end: who, 'end-all': isForAll = false, because = '', by = os.userInfo().username } = values
  if ((who === undefined) !== isForAll || !because.trim() || !by.trim()) throw new UsageError()
  return { who, operator: { name: by, reason: because } }
}

/** Ends the sessions of one user, with a line in the desk's log. Returns their number. */
const endSessionsOf = ({ identity, pool, desk }: Product, userId: bigint, { name, reason }: CommandOrder['operator']) =>
  transact(pool, async (tx) => {
    const count = await identity.endSessionsByOperator(tx, userId)
    const line = { act: 'sessions_ended', subject: String(userId), reason } as const
    await writeLine(tx, { id: null, name }, line, desk.context.realNow())
    return count
  })

/** Ends all sessions, one user after the other: an interrupted run is completed by another. */
async function endAll(product: Product, { name, reason }: CommandOrder['operator']): Promise<string> {
  const { identity, pool, desk } = product
  const line = { act: 'sessions_ended', subject: 'everyone', reason } as const
  await writeLine(pool, { id: null, name }, line, desk.context.realNow())
  const users = await identity.usersWithSessions()
  let count = 0
  for (const userId of users) count += await transact(pool, (tx) => identity.endSessionsByOperator(tx, userId))
  return `${count} sessions of ${users.length} users ended.`
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const { who, operator } = readOrder(parameters)
  return withProduct(environment, async (product) => {
    if (who === undefined) {
      print(await endAll(product, operator))
      return 0
    }
    const userId = await findPerson(product.pool, who)
    if (userId === undefined || !(await product.identity.usersById(product.pool, [userId])).has(userId)) {
      print(`There is no user ${who}.`)
      return 1
    }
    print(`${await endSessionsOf(product, userId, operator)} sessions of user ${userId} ended.`)
    return 0
  })
}
