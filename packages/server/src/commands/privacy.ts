import os from 'node:os'
import { type CorrectionForOperator, recordDataAccess } from '../features/privacy/privacy.ts'
import { isUserNumber } from '../features/identity/identity.ts'
import { transact } from '../platform/database/db.ts'
import type { Product } from '../product.ts'
import { parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

type CommandOrder =
  | { readonly act: 'list'; readonly by: string }
  | { readonly act: 'corrected' | 'declined'; readonly id: string; readonly answer: string; readonly by: string }
  | { readonly act: 'retained'; readonly userId: bigint; readonly by: string }

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder {
  const text = { type: 'string' } as const
  const options = { correct: text, decline: text, retained: text, because: text, by: text }
  const { values } = parse({ args: [...parameters], options })
  const { correct, decline, retained, because = '', by = os.userInfo().username } = values
  const actions = [correct, decline, retained].filter((action) => action !== undefined)
  if (actions.length > 1 || !by.trim()) throw new UsageError()
  if (retained !== undefined) {
    const userId = /^\d{10}$/.test(retained) ? BigInt(retained) : 0n
    if (!isUserNumber(userId)) throw new UsageError()
    return { act: 'retained', userId, by }
  }
  const id = correct ?? decline
  if (id === undefined && because === '') return { act: 'list', by }
  if (id === undefined || !because.trim()) throw new UsageError()
  return { act: correct === undefined ? 'declined' : 'corrected', id, answer: because, by }
}

const formatLine = ({ id, userId, field, right_value: value, note, due_at: dueAt }: CorrectionForOperator): string =>
  [id, `user ${userId}`, `${field.replaceAll('_', ' ')} should be "${value}"`, note, `due ${dueAt.slice(0, 10)}`]
    .filter(Boolean)
    .join('  ')

async function list({ privacy, pool, now, operatorPseudonym }: Product, by: string): Promise<string> {
  const open = await privacy.corrections.open()
  await transact(pool, async (tx) => {
    const access = { role: 'operator', operator: operatorPseudonym(by), purpose: 'correction', at: now() } as const
    for (const userId of new Set(open.map((correction) => correction.userId))) {
      await recordDataAccess(tx, { ...access, userId, what: ['corrections'] })
    }
  })
  const pendingDeletions = await privacy.deletion.waiting()
  return [
    ...(open.length === 0 ? ['No correction is open.'] : open.map(formatLine)),
    ...pendingDeletions.map(
      ({ userId, dueAt }) => `user ${userId}  will be deleted ${dueAt.toISOString().slice(0, 16)}Z`,
    ),
  ].join('\n')
}

async function runOrder(product: Product, order: CommandOrder): Promise<string> {
  const { privacy, operatorPseudonym } = product
  if (order.act === 'list') return list(product, order.by)
  if (order.act === 'retained') {
    return JSON.stringify(
      await privacy.readRetained({ userId: order.userId, operator: operatorPseudonym(order.by) }),
      null,
      2,
    )
  }
  const { act: state, id, by, answer } = order
  await privacy.corrections.decide({ id, state, by, answer })
  return `${id} is ${state}.`
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async (product) => {
    print(await runOrder(product, order))
    return 0
  })
}
