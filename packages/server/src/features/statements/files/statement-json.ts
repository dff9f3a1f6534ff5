import { addToSums, startSums } from '../statement-lines.ts'
import { readHead, readLines, toStatementLine, toTotals } from '../statement.ts'
import type { FileSource } from './statement-file.ts'

/** Writes a statement as JSON: head, lines and totals, with one line of the statement per line of the file. */
export async function* writeJson({
  db,
  issuer,
  messages,
  ...input
}: FileSource): AsyncGenerator<string, void, undefined> {
  const { currency } = input
  const sums = startSums()
  yield `{"statement":${JSON.stringify(await readHead({ issuer }, db, input))},\n"lines":[`
  let separator = '\n'
  for await (const { lines } of readLines(db, input)) {
    let text = ''
    for (const line of lines) {
      addToSums(sums, line)
      text += separator + JSON.stringify(toStatementLine(line, { currency, messages }))
      separator = ',\n'
    }
    yield text
  }
  yield `\n],\n"totals":${JSON.stringify(toTotals(sums, currency))}}\n`
}
