import type { StatementLine } from '@tern/contract/statements'
import { csvHead, csvLine } from '../../../platform/files/csv.ts'
import { toDay } from '../period.ts'
import { readLines, toStatementLine } from '../statement.ts'
import type { FileSource } from './statement-file.ts'

/** Columns of the file: each field of a line, and its day in the time zone of the statement. */
const columns: readonly (readonly [
  name: string,
  read: (line: StatementLine, day: string) => string | number | null,
])[] = [
  ['id', ({ id }) => id],
  ['date', (_, day) => day],
  ['time', ({ at }) => at],
  ['kind', ({ kind }) => kind],
  ['status', ({ status }) => status],
  ['reference', ({ reference }) => reference],
  ['transaction_id', (line) => line.transaction_id],
  ['counterparty_id', ({ counterparty }) => counterparty?.id ?? null],
  ['counterparty_username', ({ counterparty }) => counterparty?.username ?? null],
  ['counterparty_name', ({ counterparty }) => counterparty?.name ?? null],
  ['description', ({ description }) => description],
  ['amount', ({ amount }) => amount],
  ['currency', () => null],
  ['balance', ({ balance }) => balance],
  ['original_amount', (line) => line.original_amount],
  ['original_currency', (line) => line.original_currency],
  ['rate', ({ rate }) => rate],
]

/** Writes a statement as CSV, oldest line first. */
export async function* writeCsv({ db, messages, ...input }: FileSource): AsyncGenerator<string, void, undefined> {
  const { currency, period } = input
  yield csvHead(columns.map(([name]) => name))
  for await (const { lines } of readLines(db, input)) {
    yield lines
      .map((facts) => {
        const line = toStatementLine(facts, { currency, messages })
        const day = toDay(facts.at, period.timeZone)
        return csvLine(columns.map(([name, read]) => (name === 'currency' ? currency : read(line, day))))
      })
      .join('')
  }
}
