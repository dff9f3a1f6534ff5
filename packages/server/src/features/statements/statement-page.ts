// Pages of a statement.

import type { readStatement } from '@tern/contract/statements'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Issuer } from '@tern/contract/transactions'
import type { Db } from '../../platform/database/db.ts'
import type { Messages } from '../../platform/messages.ts'
import { refuseField } from '../../platform/refuse.ts'
import { addToSums, type LineFacts, startSums } from './statement-lines.ts'
import { readHead, readLines, type StatementInput, toStatementLine, toTotals } from './statement.ts'

/** Movements beyond which a page has no totals, which would take seconds to add up. */
const maxSummed = 20_000

const writeCursor = (version: bigint): string => Buffer.from(`after ${version.toString()}`).toString('base64url')

function readCursor(text: string): bigint {
  const [, version] = /^after (\d{1,18})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  return version === undefined ? refuseField('invalid_request', 'cursor', 'not_a_cursor') : BigInt(version)
}

interface PageInput extends StatementInput {
  readonly limit: number
  readonly cursor: string | undefined
  readonly messages: Messages
}

/**
 * Reads a page: whole movements, at least one. The first page has totals, unless the period has too many movements.
 * Refuses `invalid_request` for an invalid cursor.
 */
export async function readPage(
  ctx: { readonly issuer: Issuer },
  db: Db,
  { limit, cursor, messages, ...input }: PageInput,
): Promise<Reply<typeof readStatement>> {
  const after = cursor === undefined ? {} : { after: readCursor(cursor) }
  const lines: LineFacts[] = []
  const sums = startSums()
  let movements = 0
  let pageEnd: bigint | undefined
  let isMore = false
  for await (const { lines: more, version } of readLines(db, { ...input, ...after })) {
    movements += 1
    for (const line of more) addToSums(sums, line)
    isMore = lines.length > 0 && ((pageEnd !== undefined && lines.length + more.length > limit) || isMore)
    if (!isMore) {
      lines.push(...more)
      pageEnd = version
    } else if (cursor !== undefined || movements > maxSummed) break
  }
  const hasTotals = cursor === undefined && movements <= maxSummed
  return {
    statement: await readHead(ctx, db, input),
    totals: hasTotals ? toTotals(sums, input.currency) : null,
    lines: lines.map((line) => toStatementLine(line, { currency: input.currency, messages })),
    next_cursor: isMore && pageEnd !== undefined ? writeCursor(pageEnd) : null,
  }
}
