import { currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { storedJson } from '../../app/orders/persisted-order.ts'

/** Drops a field that cannot be parsed. */
// oxlint-disable-next-line promise/valid-params -- z.catch is zod's, not that of a promise
const toOptional = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)

const draftShape = z.object({
  userId: z.int(),
  amount: z.string().check(z.regex(/^\d*\.?\d*$/)),
  currency: toOptional(z.enum(currencyCodes)),
  method: toOptional(z.enum(['card', 'bank'])),
  accountId: toOptional(z.string()),
  /** Payment whose provider page was opened. */
  paymentId: toOptional(z.string()),
})

/** Form values stored while the browser is on the provider's page, and restored on return. */
export type Draft = z.input<typeof draftShape>

type Page = 'deposit' | 'withdraw'

const openStore = (page: Page) => storedJson('sessionStorage', `${page}Draft`)

export const writeDraft = (page: Page, draft: Draft): void => openStore(page).write(draft)

export const removeDraft = (page: Page): void => openStore(page).remove()

/** Draft of this user; undefined if it belongs to another user or cannot be parsed. */
export function readDraft(page: Page, userId: number) {
  const { data: draft } = draftShape.safeParse(openStore(page).read())
  return draft?.userId === userId ? draft : undefined
}
