import type { DeskFact } from '@tern/contract/desk/queues'
import { type Money, toDecimal } from '@tern/money/money'

// Facts of an entry, by codes that the page puts into words.

export const textFact = (label: string, text: string): DeskFact => ({ label, kind: 'text', text })
export const codeFact = (label: string, code: string): DeskFact => ({ label, kind: 'code', code })
/** File that can be opened by its id. */
export const fileFact = (label: string, id: string, text: string): DeskFact => ({ label, kind: 'file', id, text })
export const fileSize = (contentType: string, bytes: number): string =>
  `${contentType === 'application/pdf' ? 'PDF' : 'JPEG'}, ${Math.ceil(bytes / 1024)} KB` // not money: bytes
export const momentFact = (label: string, at: Date): DeskFact => ({ label, kind: 'moment', at: at.toISOString() })
export const moneyFact = (label: string, amount: Money): DeskFact => ({
  label,
  kind: 'money',
  amount: toDecimal(amount),
  currency: amount.currency,
})
