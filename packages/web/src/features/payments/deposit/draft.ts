import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'

/** What was chosen on a page that is left for the provider's, to be there again on the way back. */
export interface Draft {
  readonly userId: number
  readonly amount: string
  readonly currency?: CurrencyCode
  readonly method?: 'card' | 'bank'
  /** The payment whose page the browser left for. */
  readonly paymentId?: string
}

type Page = 'deposit' | 'withdraw'

const keyOf = (page: Page): string => `${page}Draft`

/** Kept for this tab alone. A tab that keeps nothing may leave all the same. */
export function keepDraft(page: Page, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(page), JSON.stringify(draft))
  } catch (error) {
    reportError(error)
  }
}

/** It is back in the form, or of no more use. */
export function dropDraft(page: Page): void {
  try {
    sessionStorage.removeItem(keyOf(page))
  } catch (error) {
    reportError(error)
  }
}

/** What this person left behind here; another person's, or one that cannot be read, is none. */
export function readDraft(page: Page, userId: number): Draft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(keyOf(page)) ?? 'null') as Draft | null
    if (draft?.userId !== userId) return undefined
    const { amount, currency, method, paymentId } = draft
    if (typeof amount !== 'string' || !/^\d*\.?\d*$/.test(amount)) return undefined
    return {
      userId,
      amount,
      ...(currency && isCurrencyCode(currency) && { currency }),
      ...((method === 'card' || method === 'bank') && { method }),
      ...(typeof paymentId === 'string' && { paymentId }),
    }
  } catch {
    return undefined
  }
}
