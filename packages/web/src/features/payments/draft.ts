import { currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { storedJson } from '../../app/orders/persisted-order.ts'

/** What cannot be read of it is left out. */
// oxlint-disable-next-line promise/valid-params -- zod's own, of no promise
const orNothing = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)

const draftShape = z.object({
  userId: z.int(),
  amount: z.string().check(z.regex(/^\d*\.?\d*$/)),
  currency: orNothing(z.enum(currencyCodes)),
  method: orNothing(z.enum(['card', 'bank'])),
  accountId: orNothing(z.string()),
  /** The payment whose page the browser left for. */
  paymentId: orNothing(z.string()),
})

/** Everything entered on a page that is left for the provider's, restored on the way back. */
export type Draft = z.input<typeof draftShape>

type Page = 'deposit' | 'withdraw'

const stored = (page: Page) => storedJson('sessionStorage', `${page}Draft`)

export const keepDraft = (page: Page, draft: Draft): void => stored(page).write(draft)

export const dropDraft = (page: Page): void => stored(page).remove()

/** What this person left here. What is somebody else's, or cannot be read, is ignored. */
export function readDraft(page: Page, userId: number) {
  const { data: draft } = draftShape.safeParse(stored(page).read())
  return draft?.userId === userId ? draft : undefined
}
