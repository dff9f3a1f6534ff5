import { quoteShape } from '@tern/contract/exchange'
import { currencyCodes } from '@tern/money/currency'
import { useState } from 'react'
import * as z from 'zod/mini'
import { createIdempotencyKeys, isRefusedForGood } from '../../app/orders/orders.ts'
import type { DepositOrder } from './deposit/deposit-order.ts'
import type { WithdrawalOrder } from './withdrawal/use-withdrawal-order.ts'

/** An order that was given to the server and has not been answered: enough to give the very same one again. */
export interface PersistedOrder<Order> {
  readonly idempotencyKey: string
  readonly order: Order
}

interface Orders {
  readonly deposit: DepositOrder
  readonly withdraw: WithdrawalOrder
}
type Page = keyof Orders

// Written out here: of the contract's calls the browser gets no more than their addresses.
const decimal = z.string().check(z.regex(/^\d+(\.\d+)?$/))
const userId = z.int()
const priced = z.optional(z.object({ quote: quoteShape, holdsUntilMs: z.number() }))

const shapes = {
  deposit: z.discriminatedUnion('method', [
    z.object({
      method: z.literal('card'),
      priced,
      body: z.object({
        amount: z.int().check(z.positive()),
        currency: z.enum(currencyCodes.map((code) => code.toLowerCase())),
        userId,
        paymentMethodId: z.string(),
      }),
    }),
    z.object({
      method: z.literal('bank'),
      priced,
      body: z.object({
        amount: decimal,
        currency: z.enum(currencyCodes),
        userId,
        method: z.literal('bank'),
        bankAccountId: z.string(),
      }),
    }),
  ]),
  withdraw: z.object({ amount: decimal, currency: z.enum(currencyCodes), userId, bankAccountId: z.string() }),
}

const bodyOf = (order: DepositOrder | WithdrawalOrder) => ('body' in order ? order.body : order)

const storageKeyOf = (page: Page): string => `${page}Order`

/**
 * Kept before an order leaves, so that a reload in the middle of it cannot turn one movement into two. A device that
 * keeps nothing may order all the same.
 */
export function keepOrder<P extends Page>(page: P, kept: PersistedOrder<Orders[P]>): void {
  try {
    sessionStorage.setItem(storageKeyOf(page), JSON.stringify(kept))
  } catch (error) {
    reportError(error)
  }
}

/** The order with this key is answered. Another one that was given since stays. */
export function dropOrder(page: Page, idempotencyKey: string): void {
  try {
    const storageKey = storageKeyOf(page)
    const kept = sessionStorage.getItem(storageKey)
    if (kept?.includes(idempotencyKey)) sessionStorage.removeItem(storageKey)
  } catch (error) {
    reportError(error)
  }
}

/** The order of this person that was left without an answer here; what cannot be read is none. */
export function readOrder<P extends Page>(page: P, userId: number): PersistedOrder<Orders[P]> | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageKeyOf(page)) ?? 'null') as PersistedOrder<Orders[P]> | null
    if (!kept || !z.uuid().safeParse(kept.idempotencyKey).success) return undefined
    // What is sent again is what was sent, and not what reading makes of it.
    const { order } = kept
    return shapes[page].safeParse(order).success && bodyOf(order).userId === userId ? kept : undefined
  } catch {
    return undefined
  }
}

/** The one order of a page that may be without an answer, with its key: here, and in the tab's storage. */
export function createPersistedOrder<P extends Page>(page: P, userId: number) {
  const left = readOrder(page, userId)
  const intentOf = (order: Orders[P]): string => JSON.stringify(bodyOf(order))
  const keys = createIdempotencyKeys(left && { intent: intentOf(left.order), key: left.idempotencyKey })
  const keyOf = (order: Orders[P]): string => keys.of(intentOf(order))
  const drop = (order: Orders[P]) => dropOrder(page, keyOf(order))
  function answered(order: Orders[P]) {
    drop(order)
    keys.forget()
  }
  return {
    /** What was left here without an answer before. */
    left: left?.order,
    keyOf,
    keep: (order: Orders[P]) => keepOrder(page, { idempotencyKey: keyOf(order), order }),
    /** It has not been carried out so far, and may be given again. */
    drop,
    answered,
    /** It was not carried out. Its key goes only when it was refused for good; otherwise the same order keeps it. */
    failed: (order: Orders[P], error: unknown) => (isRefusedForGood(error) ? answered(order) : drop(order)),
    /** True when something lies in the storage that has no answer, from here or from another page of this tab. */
    isLeft: () => readOrder(page, userId) !== undefined,
  }
}

export type Kept<P extends Page> = ReturnType<typeof createPersistedOrder<P>>

/** The kept order of a page, for as long as it is shown. */
export function usePersistedOrder<P extends Page>(page: P, userId: number): Kept<P> {
  const [kept] = useState(() => createPersistedOrder(page, userId))
  return kept
}
