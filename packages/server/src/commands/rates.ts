// npm run rates: lists the rates in use and those that are held back, and accepts or rejects these.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { toRateText } from '@tern/money/ratio'
import { decideHeldBack, heldBackFixes, type HeldBackFix, latestFixes } from '../features/exchange/exchange.ts'
import type { Product } from '../product.ts'
import { alignedColumns, type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run rates                    lists the rates in use, and those that are held back because they jumped
npm run rates -- --accept ID     uses it for prices from now on
npm run rates -- --reject ID     never uses it
              [--by NAME]        who decided`

interface Order {
  readonly verdict: 'accept' | 'reject'
  readonly id: string
  readonly operator: string
}

/** What is to be done; nothing to list, undefined when it cannot be read. */
function readOrder(parameters: readonly string[]): Order | 'list' | undefined {
  const text = { type: 'string' } as const
  const options = { accept: text, reject: text, by: text }
  let values: Partial<Record<keyof typeof options, string>>
  try {
    values = parseArgs({ args: [...parameters], options }).values
  } catch {
    return undefined
  }
  if (Object.keys(values).length === 0) return 'list'
  const { accept, reject, by = os.userInfo().username } = values
  const id = accept ?? reject
  if (id === undefined || (accept !== undefined && reject !== undefined) || !by.trim()) return undefined
  return { verdict: accept === undefined ? 'reject' : 'accept', id, operator: by }
}

const minuteOf = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const heldLine = ({ id, source, base, quote, rate, inUse, asOf }: HeldBackFix): string =>
  `${id}  ${source} ${base}/${quote} ${toRateText(rate)}, in use ${toRateText(inUse)}, as of ${minuteOf(asOf)}`

async function list({ pool }: Product): Promise<string> {
  const latest = (await latestFixes(pool)).map((fix) => [
    fix.source,
    `${fix.base}/${fix.quote}`,
    toRateText(fix.rate),
    minuteOf(fix.confirmedAt),
  ])
  const held = await heldBackFixes(pool)
  const inUse =
    latest.length === 0
      ? ['No rate is known.']
      : alignedColumns(
          latest.toSorted((a, b) => a.join().localeCompare(b.join())),
          2,
        )
  const waiting = held.length === 0 ? ['No rate is held back.'] : ['Held back:', ...held.map(heldLine)]
  return [...inUse, '', ...waiting].join('\n')
}

/** Does what the parameters say and gives the exit code: 2 when it could not be done. */
export async function rates(
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
    () => false,
    () =>
      withProduct(settingsOf(environment), async (product) => {
        if (order === 'list') {
          print(await list(product))
          return 0
        }
        const { id, verdict, operator } = order
        const isDone = await decideHeldBack(product.pool, id, verdict, { operator, now: product.now() })
        print(isDone ? `${id} is ${verdict}ed.` : `No rate ${id} is held back.`)
        return isDone ? 0 : 2
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await rates(process.argv.slice(2), process.env, console.log)
