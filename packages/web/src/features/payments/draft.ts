import type { CurrencyCode } from '@tern/money/currency'

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

export const dropDraft = (page: Page): void => sessionStorage.removeItem(keyOf(page))

/** What this person left behind here; another person's, or one that cannot be read, is none. */
export function readDraft(page: Page, userId: number): Draft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(keyOf(page)) ?? 'null') as Draft | null
    return draft?.userId === userId && /^\d*\.?\d*$/.test(draft.amount) ? draft : undefined
  } catch {
    return undefined
  }
}
