// Runs in a thread of `platform/threads/paper-threads.ts`, since typesetting would block the event loop.

import type { Receipt } from '@tern/contract/transactions'
import { readCatalogues } from '../../../platform/messages.ts'
import type { PaperSize } from '../../../platform/paper/pdf-paper.ts'
import { receiptPdf } from './receipt-pdf.ts'

export interface ReceiptTask {
  readonly receipt: Receipt
  /** Code of a supported language. */
  readonly language: string
  readonly publicUrl: string
  readonly size: PaperSize
  readonly logProof: string | undefined
}

const catalogues = await readCatalogues()

export async function work({ receipt, language, publicUrl, size, logProof }: ReceiptTask): Promise<Uint8Array> {
  const messages = catalogues.get(language)
  if (messages === undefined) throw new Error(`there is no language ${language}`)
  return receiptPdf(receipt, { messages, publicUrl, size, logProof })
}
