// Runs in a thread of `platform/threads/paper-threads.ts`, since typesetting would block the event loop.

import type { Certificate } from '@tern/contract/statements'
import { readCatalogues } from '../../../platform/messages.ts'
import type { PaperSize } from '../../../platform/paper/pdf-paper.ts'
import { certificatePdf } from '../certificates/certificate-pdf.ts'
import { type StatementPaper, statementPdf } from './statement-pdf.ts'

export type PaperTask = {
  /** Code of a supported language. */
  readonly language: string
  readonly size: PaperSize
} & ({ readonly paper: StatementPaper } | { readonly certificate: Certificate; readonly publicUrl: string })

const catalogues = await readCatalogues()

export async function work({ language, size, ...task }: PaperTask): Promise<Uint8Array> {
  const messages = catalogues.get(language)
  if (messages === undefined) throw new Error(`there is no language ${language}`)
  if ('paper' in task) return statementPdf(task.paper, { messages, size })
  return certificatePdf(task.certificate, { messages, size, publicUrl: task.publicUrl })
}
