import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Quote, quoteShape } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { payLink, type PaymentLink, quoteForLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { compare, parseDecimal, toDecimal } from '@tern/money/money'
import { useState } from 'react'
import * as z from 'zod/mini'
import { pay } from '#messages/transfers/requests.ts'
import { amountOf } from '../../../app/orders/amount.ts'
import { useMoneyOrder } from '../../../app/orders/money-order.ts'
import { tabOrderStore } from '../../../app/orders/persisted-order.ts'
import { dated, datedQuote, type DatedQuote } from '../../../app/orders/dated-quote.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { callApi } from '../../../app/session/session.ts'
import { useSettled } from '../../../app/use-settled.ts'

const orderShape = z.object({ userId: z.int(), data: z.string(), ...datedQuote.shape })

/** Paying one link at one price. */
type PayOrder = z.output<typeof orderShape>

/** The payment of this link by this person that has no answer. */
const payStore = (userId: number, data: string) =>
  tabOrderStore<PayOrder>('pay', (order) => {
    const read = orderShape.safeParse(order).data
    return read?.userId === userId && read.data === data
  })

const refreshMs = 60_000
const typingPauseMs = 300

/** The price of what is left, or of a part: asked for again every minute, and when it ends. */
function usePrice(link: PaymentLink, data: string, wallet: Wallet, part: string | undefined, pending?: DatedQuote) {
  const settled = useSettled(part, String(part), typingPauseMs)
  const isSettled = settled.key === String(part)
  const query = useQuery({
    queryKey: ['link-quote', data, wallet.base_currency, link.remaining_amount, settled.value],
    async queryFn({ signal }) {
      const askedAtMs = Date.now()
      const body = { source_currency: wallet.base_currency, ...(settled.value ? { amount: settled.value } : {}) }
      return dated(await callApi(quoteForLink, { params: { data }, body }, signal), askedAtMs)
    },
    enabled: isSettled && part !== '' && !pending,
    refetchInterval: refreshMs,
    refetchOnWindowFocus: true,
    staleTime: refreshMs / 2,
    gcTime: 0,
    retry: false,
  })
  const isCurrent = isSettled && part !== '' && query.data !== undefined && query.data.holdsUntilMs > Date.now()
  const priced = pending ?? (isCurrent ? query.data : undefined)
  return { priced, error: isSettled && !query.isFetching ? query.error : null, retry: () => void query.refetch() }
}

/** The quote that the server gave in place of an expired one. */
function freshQuoteOf(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  return quoteShape.safeParse(error.problem.quote).data
}

interface Handlers {
  onPaid: (payment: Transaction) => void
  /** The request is not what it was: somebody has paid it, or it was ended. */
  onChange: () => void
}

/** What is paid, its price, and the order. */
export function usePay(
  { userId, data, link, wallet }: { userId: number; data: string; link: PaymentLink; wallet: Wallet },
  { onPaid, onChange }: Handlers,
) {
  const queryClient = useQueryClient()
  const [part, setPart] = useState('')
  const order = useMoneyOrder<PayOrder, Reply<typeof payLink>>({
    store: payStore(userId, data),
    bodyOf: ({ quote }) => ({ quote_id: quote.quote_id }),
    call: ({ quote }, keys) => callApi(payLink, { params: { data }, body: { quote_id: quote.quote_id }, ...keys }),
    onReply({ transaction }) {
      void refreshMoney(queryClient, userId)
      onPaid(transaction)
    },
    onFailure(error) {
      // A price that was refused is of no more use.
      void queryClient.invalidateQueries({ queryKey: ['link-quote'] })
      onChange()
      if (freshQuoteOf(error)) return { detail: pay.priceRenewed, tone: 'info' }
      return { title: pay.failed, detail: error instanceof Refused ? error.message : '' }
    },
  })
  const { pending } = order
  const left = parseDecimal(link.currency, link.remaining_amount)
  const typed = amountOf(link.currency, part)
  const isPart = link.allows_parts && part !== ''
  const isTooMuch = typed !== undefined && compare(typed, left) > 0
  const wanted = !isPart ? undefined : typed && !isTooMuch ? toDecimal(typed) : ''
  const price = usePrice(link, data, wallet, wanted, pending)
  const total = price.priced && parseDecimal(wallet.base_currency, price.priced.quote.total)
  const isBeyond =
    !pending && total !== undefined && compare(total, parseDecimal(wallet.base_currency, wallet.fiat_balance)) > 0
  return {
    part,
    setPart(text: string) {
      setPart(text)
      order.clear()
    },
    isPartWrong: isPart && wanted === '',
    price,
    isBeyond,
    state: order.state,
    isSending: order.state.status === 'sending',
    /** Sends the order without an answer again, else the one at the present price. */
    send() {
      const next = pending ?? (price.priced && { ...price.priced, userId, data })
      if (next && !isBeyond) order.send(next)
    },
  }
}

export type PayModel = ReturnType<typeof usePay>
