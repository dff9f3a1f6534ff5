import { type ReceiptMap, buildReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import type { Messages } from '../../../platform/messages.ts'
import { drawable } from '../../../platform/paper/letters/clusters.ts'
import { type Face, loadFaces, type FacedText } from '../../../platform/paper/letters/faces.ts'
import { collectBytes, newPaper, type PaperSize, sheets } from '../../../platform/paper/pdf-paper.ts'
import { listTexts, mapTexts } from '../../../platform/paper/texts.ts'
import { startStructure } from '../../../platform/paper/structure.ts'
import { drawPages, sideMargin } from './receipt-pages.ts'
import { createWriting } from './receipt-writing.ts'

export interface ReceiptOptions {
  readonly messages: Messages
  /** Address of the product, without a trailing slash. */
  readonly publicUrl: string
  readonly size: PaperSize
  /** URL with the proof that the payment is in the transparency log. */
  readonly logProof?: string | undefined
}

const faces: readonly Face[] = ['text', 'strong', 'display']

const toSingleLine = (text: string): string => drawable(text).replaceAll('\n', ' ')

/** Makes all texts of a receipt drawable; only the description keeps its line breaks. */
function drawableReceipt(receipt: Receipt): Receipt {
  const { transaction, ...others } = mapTexts(receipt, toSingleLine)
  return { ...others, transaction: { ...transaction, description: drawable(receipt.transaction.description) } }
}

const toDrawableMap = (map: ReceiptMap): ReceiptMap => ({
  ...map,
  from: { ...map.from, name: drawable(map.from.name) },
  to: { ...map.to, name: drawable(map.to.name) },
})

/**
 * Writes the receipt as a tagged PDF with title and language. Letters that the product's typefaces lack are drawn in
 * other typefaces.
 */
export async function receiptPdf(
  source: Receipt,
  { messages, publicUrl, size, logProof }: ReceiptOptions,
): Promise<Buffer> {
  const writing = createWriting(messages)
  const receipt = drawableReceipt(source)
  const { transaction, issuer } = receipt
  const { map, ...words } = buildReceiptSheet(receipt, writing)
  const facts = { ...mapTexts(words, drawable), map: map && toDrawableMap(map) }
  const address = `${publicUrl}/receipt?id=${transaction.id}`
  const { name, brand } = writing.texts
  const { description, ...others } = facts
  const receiptTexts = [...listTexts(others), ...listTexts(writing.texts), address]
  const settings = receiptTexts.flatMap((text) => faces.map((face): FacedText => ({ text, face })))
  const paper = newPaper({
    title: `${name} ${facts.reference}`,
    creator: brand,
    language: messages.language.code,
    size,
    createdAt: new Date(receipt.issued_at),
    faces: await loadFaces([...settings, { text: description, face: 'text' }]),
  })
  const written = collectBytes(paper)
  const structure = startStructure(paper)
  const sheet = sheets[size]
  const content = {
    ...{ paper, structure, facts, writing, address, logProof, contact: issuer.contact },
    rowPadding: 5,
    isPayer: transaction.transaction_type === 'SEND' || transaction.transaction_type === 'WITHDRAW',
    width: sheet.width - 2 * sideMargin,
  }
  drawPages(content, sheet, messages.language.code)
  structure.end()
  paper.document.end()
  return written
}
