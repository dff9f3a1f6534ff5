import { maxPrintedLines } from '@tern/contract/statements'
import { refuse } from '../../../platform/refuse.ts'
import { paperThreads } from '../../../platform/threads/paper-threads.ts'
import { addToSums, type LineFacts, startSums } from '../statement-lines.ts'
import { readHead, readLines, toStatementLine, toTotals } from '../statement.ts'
import type { FileSource } from './statement-file.ts'
import type { StatementPaper } from './statement-pdf.ts'
import type { PaperTask } from './statement-worker.ts'

const module = new URL('statement-worker.ts', import.meta.url)
/** Timeout only for a thread that hangs: the longest statement takes seconds of processor time. */
const timeLimitMs = 60_000

/** Reads all that a PDF shows. Refuses `statement_too_long` for more lines than it may have. */
export async function readStatementPaper({ db, issuer, messages, ...input }: FileSource): Promise<StatementPaper> {
  const { currency } = input
  const sums = startSums()
  const facts: LineFacts[] = []
  for await (const { lines } of readLines(db, input)) {
    for (const line of lines) addToSums(sums, line)
    facts.push(...lines)
    if (facts.length > maxPrintedLines) refuse('statement_too_long')
  }
  return {
    statement: await readHead({ issuer }, db, input),
    totals: toTotals(sums, currency),
    lines: facts.map((line) => toStatementLine(line, { currency, messages })),
  }
}

/**
 * Writes a statement or a certificate as a PDF in a thread that serves users in turn. Refuses `rate_limited` while too
 * many files of the user wait, and `service_unavailable` while too many wait in total.
 */
export async function paperFile(userId: bigint, input: PaperTask): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await paperThreads.run<PaperTask, Uint8Array<ArrayBuffer>>(userId, {
    module,
    input,
    timeLimitMs,
  })
  return Buffer.from(buffer, byteOffset, byteLength)
}
