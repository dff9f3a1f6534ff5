// Files of statements, by format.

import { Readable } from 'node:stream'
import type { StatementFileFormat } from '@tern/contract/statements'
import type { Issuer } from '@tern/contract/transactions'
import type { Db } from '../../../platform/database/db.ts'
import type { Messages } from '../../../platform/messages.ts'
import type { StatementInput } from '../statement.ts'
import { writeCsv } from './statement-csv.ts'
import { writeJson } from './statement-json.ts'

export interface FileSource extends StatementInput {
  readonly db: Db
  readonly issuer: Issuer
  readonly messages: Messages
}

interface FileFormat {
  readonly contentType: string
  readonly write: (source: FileSource) => AsyncGenerator<string, void, undefined>
}

/** Formats that are written while they are read, with memory that does not depend on their length. */
const streamedFormats: Readonly<Record<Exclude<StatementFileFormat, 'pdf'>, FileFormat>> = {
  csv: { contentType: 'text/csv; charset=utf-8', write: writeCsv },
  json: { contentType: 'application/json; charset=utf-8', write: writeJson },
}

export const findContentType = (format: StatementFileFormat): string =>
  format === 'pdf' ? 'application/pdf' : streamedFormats[format].contentType

/** Starts a file, whose pages are read while it is sent. */
export const streamFile = (format: Exclude<StatementFileFormat, 'pdf'>, source: FileSource): Readable =>
  Readable.from(collectPieces(streamedFormats[format].write(source)), { objectMode: false })

/** Size from which collected text is passed on. */
const pieceLength = 32_768

/** Joins short texts, so that a file is not sent line by line. */
export async function* collectPieces(
  texts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  let text = ''
  for await (const next of texts) {
    text += next
    if (text.length < pieceLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
