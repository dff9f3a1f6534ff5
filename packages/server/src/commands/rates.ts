import os from 'node:os'
import { toRateText } from '@tern/money/ratio'
import { decideHeldBackFix, listHeldBackFixes, type HeldBackFix, latestFixes } from '../features/exchange/exchange.ts'
import { OperatorError } from '../platform/refuse.ts'
import type { Product } from '../product.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

interface CommandOrder {
  readonly verdict: 'accept' | 'reject'
  readonly id: string
  readonly operator: string
}

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder | 'list' {
  const text = { type: 'string' } as const
  const { values } = parse({ args: [...parameters], options: { accept: text, reject: text, by: text } })
  if (Object.keys(values).length === 0) return 'list'
  const { accept, reject, by = os.userInfo().username } = values
  const id = accept ?? reject
  if (id === undefined || (accept !== undefined && reject !== undefined) || !by.trim()) throw new UsageError()
  return { verdict: accept === undefined ? 'reject' : 'accept', id, operator: by }
}

const formatMinute = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const fixLine = ({ id, source, base, quote, rate, inUse, asOf }: HeldBackFix): string =>
  `${id}  ${source} ${base}/${quote} ${toRateText(rate)}, in use ${inUse ? toRateText(inUse) : 'none'}, as of ${formatMinute(asOf)}`

async function list({ pool }: Product): Promise<string> {
  const latest = (await latestFixes(pool)).map((fix) => [
    fix.source,
    `${fix.base}/${fix.quote}`,
    toRateText(fix.rate),
    formatMinute(fix.confirmedAt),
  ])
  const fixes = await listHeldBackFixes(pool)
  const rateLines =
    latest.length === 0
      ? ['No rate is known.']
      : alignedColumns(
          latest.toSorted((a, b) => a.join().localeCompare(b.join())),
          2,
        )
  const heldLines = fixes.length === 0 ? ['No rate is held back.'] : ['Held back:', ...fixes.map(fixLine)]
  return [...rateLines, '', ...heldLines].join('\n')
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async (product) => {
    if (order === 'list') {
      print(await list(product))
      return 0
    }
    const { id, verdict, operator } = order
    const isDone = await decideHeldBackFix(product.pool, id, verdict, { operator, now: product.now() })
    if (!isDone) throw new OperatorError(`No rate ${id} is held back.`)
    print(`${id} is ${verdict}ed.`)
    return 0
  })
}
