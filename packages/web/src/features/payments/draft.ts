import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { storedJson } from '../../app/orders/persisted-order.ts'

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

const stored = (page: Page) => storedJson('sessionStorage', `${page}Draft`)

export const keepDraft = (page: Page, draft: Draft): void => stored(page).write(draft)

export const dropDraft = (page: Page): void => stored(page).remove()

/** What this person left here. What is somebody else's, or cannot be read, is ignored. */
export function readDraft(page: Page, userId: number): Draft | undefined {
  try {
    const draft = stored(page).read() as Draft | null | undefined
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
