// npm run privacy: lists the corrections that people asked for and the accounts that wait to be deleted, decides corrections, and opens what is kept of somebody who has left.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { type CorrectionToDecide, recordDataAccess } from '../features/privacy/privacy.ts'
import { isUserNumber } from '../features/identity/identity.ts'
import { transact } from '../platform/database/db.ts'
import { Refusal } from '../platform/refuse.ts'
import type { Product } from '../product.ts'
import { type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run privacy                                        lists requested corrections, and accounts that will be deleted,
                                                       the next deadline first
npm run privacy -- --correct ID --because "SENTENCE"   records that it was corrected; the person reads the sentence
npm run privacy -- --decline ID --because "SENTENCE"   records why not; the person reads the sentence
npm run privacy -- --retained USER                     prints who a former user was: only for a court or an open case
                   [--by NAME]                         who runs this; people see a pseudonym`

type Order =
  | { readonly act: 'list'; readonly by: string }
  | { readonly act: 'corrected' | 'declined'; readonly id: string; readonly answer: string; readonly by: string }
  | { readonly act: 'retained'; readonly userId: bigint; readonly by: string }

/** What is to be done; undefined when it cannot be read. */
function readOrder(parameters: readonly string[]): Order | undefined {
  const text = { type: 'string' } as const
  const options = { correct: text, decline: text, retained: text, because: text, by: text }
  let values: Partial<Record<keyof typeof options, string>>
  try {
    values = parseArgs({ args: [...parameters], options }).values
  } catch {
    return undefined
  }
  const { correct, decline, retained, because = '', by = os.userInfo().username } = values
  const given = [correct, decline, retained].filter((one) => one !== undefined)
  if (given.length > 1 || !by.trim()) return undefined
  if (retained !== undefined) {
    const userId = /^\d{10}$/.test(retained) ? BigInt(retained) : 0n
    return isUserNumber(userId) ? { act: 'retained', userId, by } : undefined
  }
  const id = correct ?? decline
  if (id === undefined) return because === '' ? { act: 'list', by } : undefined
  if (!because.trim()) return undefined
  return { act: correct === undefined ? 'declined' : 'corrected', id, answer: because, by }
}

const lineOf = ({ id, userId, field, right_value: value, note, due_at: due }: CorrectionToDecide): string =>
  [id, `user ${userId}`, `${field.replaceAll('_', ' ')} should be "${value}"`, note, `due ${due.slice(0, 10)}`]
    .filter(Boolean)
    .join('  ')

async function list({ privacy, pool, now, operatorPseudonym }: Product, by: string): Promise<string> {
  const open = await privacy.corrections.open()
  await transact(pool, async (tx) => {
    const reading = { role: 'operator', operator: operatorPseudonym(by), purpose: 'correction', at: now() } as const
    for (const userId of new Set(open.map((one) => one.userId))) {
      await recordDataAccess(tx, { ...reading, userId, what: ['corrections'] })
    }
  })
  const leaving = await privacy.deletion.waiting()
  return [
    ...(open.length === 0 ? ['No correction is open.'] : open.map(lineOf)),
    ...leaving.map(({ userId, dueAt }) => `user ${userId}  will be deleted ${dueAt.toISOString().slice(0, 16)}Z`),
  ].join('\n')
}

async function answerTo(product: Product, order: Order): Promise<string> {
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

/** Does what the parameters say and gives the exit code: 2 when it could not be done. */
export async function privacy(
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
      withProduct(settingsOf(environment), async (product) => {
        print(await answerTo(product, order))
        return 0
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await privacy(process.argv.slice(2), process.env, console.log)
