import type { DeskFact } from '@tern/contract/desk/queues'
import { type Money, toDecimal } from '@tern/money/money'

// What is said of an entry, each thing by a code that the page says in words.

export const textFact = (label: string, text: string): DeskFact => ({ label, kind: 'text', text })
export const codeFact = (label: string, code: string): DeskFact => ({ label, kind: 'code', code })
/** A file that can be read by its id. */
export const fileFact = (label: string, id: string, text: string): DeskFact => ({ label, kind: 'file', id, text })
/** What kind of file it is, and how large. */
export const fileSize = (contentType: string, bytes: number): string =>
  `${contentType === 'application/pdf' ? 'PDF' : 'JPEG'}, ${Math.ceil(bytes / 1024)} KB` // not money: bytes
export const momentFact = (label: string, at: Date): DeskFact => ({ label, kind: 'moment', at: at.toISOString() })
export const moneyFact = (label: string, amount: Money): DeskFact => ({
  ...{ label, kind: 'money' },
  ...{ amount: toDecimal(amount), currency: amount.currency },
})
