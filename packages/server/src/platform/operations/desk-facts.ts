import type { DeskFact } from '@tern/contract/desk/queues'
import { money, type Money, toDecimal } from '@tern/money/money'

// Facts of an entry on the operators' desk; the desk page translates labels and codes.

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

/** Converts a name to a code: `driversLicense` becomes `drivers_license`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the inputs of a rule as facts, without missing ones. Inputs in US dollars are whole cents. */
export function inputFacts(inputs: Readonly<Record<string, unknown>>): DeskFact[] {
  return Object.entries(inputs).flatMap(([label, value]) => {
    if (value === null || value === undefined) return []
    if (typeof value === 'boolean') return [codeFact(label, value ? 'yes' : 'not')]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
    if (/(^|_)usd$/.test(label) && /^\d+$/.test(text)) return [moneyFact(label, money('USD', BigInt(text)))]
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return [momentFact(label, new Date(text))]
    return [textFact(label, text)]
  })
}
