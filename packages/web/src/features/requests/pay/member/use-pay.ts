import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Quote, quoteShape } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import { payLink, type PaymentLink, quoteForLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { compare, parseDecimal, toDecimal } from '@tern/money/money'
import { useRef, useState } from 'react'
import * as z from 'zod/mini'
import { pay } from '#messages/transfers/requests.ts'
import { paymentMethodsQuery } from '../../../../app/instruments/payment-methods.ts'
import { parseAmount } from '../../../../app/orders/amount.ts'
import { useMoneyOrder } from '../../../../app/orders/money-order.ts'
import { isProviderDown } from '../../../../app/orders/orders.ts'
import { tabOrderStore } from '../../../../app/orders/persisted-order.ts'
import { toDatedQuote, datedQuote, type DatedQuote } from '../../../../app/orders/dated-quote.ts'
import { isWebAddress } from '../../../../app/provider-page.ts'
import { refreshMoney } from '../../../../app/session/live.ts'
import { callApi } from '../../../../app/session/session.ts'
import { useSettled } from '../../../../app/use-settled.ts'
import { usePayeeWarning } from '../../../../app/warnings/use-payee-warning.ts'
import { findBankAccount, type Funding, buildSource, choosePaymentWay } from './ways-to-pay.ts'

const source = z.optional(
  z.object({
    method: z.enum(['card', 'bank', 'wallet_partial']),
    bankAccountId: z.optional(z.string()),
    paymentMethodId: z.optional(z.string()),
    saveCard: z.optional(z.boolean()),
  }),
)
const orderShape = z.object({ userId: z.int(), data: z.string(), source, ...datedQuote.shape })

/** Payment of one link at one price, from the wallet unless a source is given. */
type PayOrder = z.output<typeof orderShape>

/** Store of the user's unanswered payment of this link. */
const payStore = (userId: number, data: string) =>
  tabOrderStore<PayOrder>('pay', (order) => {
    const parsed = orderShape.safeParse(order).data
    return parsed?.userId === userId && parsed.data === data
  })

const refreshMs = 60_000
const typingPauseMs = 300

/** Price of the remaining amount or a part; refetched every minute and when the window is focused. */
function usePrice(link: PaymentLink, data: string, wallet: Wallet, part: string | undefined, pending?: DatedQuote) {
  const settled = useSettled(part, String(part), typingPauseMs)
  const isSettled = settled.key === String(part)
  const query = useQuery({
    queryKey: ['link-quote', data, wallet.base_currency, link.remaining_amount, settled.value],
    async queryFn({ signal }) {
      const requestedAtMs = Date.now()
      const body = { source_currency: wallet.base_currency, ...(settled.value ? { amount: settled.value } : {}) }
      return toDatedQuote(await callApi(quoteForLink, { params: { data }, body }, signal), requestedAtMs)
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

/** Quote that the server issued in place of an expired one. */
function parseFreshQuote(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  return quoteShape.safeParse(error.problem.quote).data
}

/** Settled payment, with its duration in milliseconds. */
export interface SettledPayment {
  readonly payment: Transaction
  readonly tookMs: number
}

interface Handlers {
  onPaid: (settled: SettledPayment) => void
  /** The state of the request may have changed: a bank payment has started, or the order has failed. */
  onChange: () => void
}

interface PayInput {
  readonly userId: number
  readonly data: string
  readonly link: PaymentLink
  readonly wallet: Wallet
}

/** Sends the payment of one link, from the wallet or an external source. */
function usePayOrder({ userId, data }: Pick<PayInput, 'userId' | 'data'>, { onPaid, onChange }: Handlers) {
  const queryClient = useQueryClient()
  const startedAt = useRef(0)
  return useMoneyOrder<PayOrder, Reply<typeof payLink> | Reply<typeof payLinkFromOutside>>({
    store: payStore(userId, data),
    buildBody: ({ quote, source: from }) => ({ quote_id: quote.quote_id, ...from }),
    call({ quote, source: from }, keys) {
      startedAt.current = performance.now()
      const body = { quote_id: quote.quote_id }
      return from
        ? callApi(payLinkFromOutside, { params: { data }, body: { ...body, ...from }, ...keys })
        : callApi(payLink, { params: { data }, body, ...keys })
    },
    isOutcomeUnknown: (error, { source: from }) => from !== undefined && isProviderDown(error),
    onReply(reply) {
      void refreshMoney(queryClient, userId)
      if ('transaction' in reply) {
        onPaid({ payment: reply.transaction, tookMs: performance.now() - startedAt.current })
        return undefined
      }
      const { redirectUrl } = reply
      if (redirectUrl !== null) return isWebAddress(redirectUrl) ? { redirectTo: redirectUrl } : { detail: pay.failed }
      onChange()
      return undefined
    },
    onFailure(error) {
      void queryClient.invalidateQueries({ queryKey: ['link-quote'] })
      onChange()
      if (parseFreshQuote(error)) return { detail: pay.priceRenewed, tone: 'info' }
      const detail = error instanceof Refused ? error.errors[0]?.message || error.message : ''
      return { title: pay.failed, detail }
    },
  })
}

export function usePay(input: PayInput, handlers: Handlers) {
  const { userId, data, link, wallet } = input
  const [part, setPart] = useState('')
  const [funding, setFunding] = useState<Funding>({ keepsCard: false })
  const methods = useQuery(paymentMethodsQuery(userId))
  const order = usePayOrder(input, handlers)
  const { pending } = order
  const remaining = parseDecimal(link.currency, link.remaining_amount)
  const partAmount = parseAmount(link.currency, part)
  const isPartPayment = link.allows_parts && part !== ''
  const isTooMuch = partAmount !== undefined && compare(partAmount, remaining) > 0
  const requestedPart = !isPartPayment ? undefined : partAmount && !isTooMuch ? toDecimal(partAmount) : ''
  const price = usePrice(link, data, wallet, requestedPart, pending)
  const quote = price.priced?.quote
  const recipientId = quote?.recipient_id ?? undefined
  const { description } = link
  const warning = usePayeeWarning(
    quote && recipientId !== undefined && !pending ? { userId, recipientId, quote, description } : undefined,
  )
  const isConfirming = useRef(false)
  const paymentWay = pending ? (pending.source?.method ?? 'wallet') : quote && choosePaymentWay(funding, quote, wallet)
  const chosen = paymentWay && methods.data && buildSource(funding, paymentWay, methods.data, wallet)
  const isPartInvalid = isPartPayment && requestedPart === ''
  const hasAccount = methods.data !== undefined && findBankAccount(funding, methods.data, wallet) !== undefined
  return {
    part,
    setPart(text: string) {
      setPart(text)
      order.clear()
    },
    isPartInvalid,
    price,
    funding,
    setFunding(next: Funding) {
      setFunding(next)
      order.clear()
    },
    methods,
    warning,
    /** Undefined before there is a price. */
    paymentWay,
    hasAccount,
    state: order.state,
    isSending: order.state.status === 'sending',
    /** Reason why the order cannot be sent yet. */
    missingField: pending
      ? undefined
      : isPartInvalid
        ? 'part'
        : paymentWay === 'bank' && !hasAccount
          ? 'account'
          : undefined,
    /** Resends an unanswered order; otherwise sends one at the current price. */
    async send() {
      if (pending) return order.send(pending)
      const next = price.priced && { ...price.priced, userId, data, source: chosen }
      if (!next || !(paymentWay === 'wallet' || chosen) || isConfirming.current) return
      isConfirming.current = true
      const maySend = await warning.confirm()
      isConfirming.current = false
      if (maySend) order.send(next)
    },
  } as const
}

export type PayModel = ReturnType<typeof usePay>
