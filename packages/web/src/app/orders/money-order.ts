import { Refused } from '@tern/contract/protocol/client'
import { useRef, useState } from 'react'
import { notConfirmed, withStepUp } from '../step-up/step-up.ts'
import { goToProvider, usePageRestore } from '../provider-page.ts'
import { useIsCurrentPage } from '../use-is-current-page.ts'
import { createIdempotencyKeys, isOutcomeUnknown, isFinalRefusal, retrySameKey } from './orders.ts'
import type { OrderStore, PersistedOrder } from './persisted-order.ts'

/** Reason why no money moved. If `field` is set, it is shown below the amount. */
export interface OrderFailure {
  readonly title?: string
  readonly detail: string
  readonly tone?: 'info' | 'warning'
  readonly field?: 'amount'
  /** Limit that refused the order, as the server describes it. */
  readonly limit?: unknown
}

export type OrderState<Order> =
  | { readonly status: 'idle' }
  | { readonly status: 'sending'; readonly isRetry: boolean; readonly order: Order }
  /** The person dismissed the step-up dialog. */
  | { readonly status: 'unconfirmed' }
  /** Unknown whether it was carried out: only the same order may be sent again. */
  | { readonly status: 'unknown'; readonly order: Order }
  | { readonly status: 'failed'; readonly failure: OrderFailure }

/** Error in the amount of the last order. */
export const amountFailure = (state: OrderState<unknown>): string | undefined =>
  state.status === 'failed' && state.failure.field ? state.failure.detail : undefined

/** Result of handling a reply: success, a failure, or a redirect to the provider's page. */
export type Outcome = void | OrderFailure | { readonly redirectTo: string }

/** One kind of order that moves money. */
export interface OrderKind<Order, Reply> {
  readonly store: OrderStore<Order>
  /** Request body. The same body keeps its Idempotency-Key until it is answered. */
  buildBody(order: Order): object
  call(order: Order, keys: { idempotencyKey: string; confirmation: string | undefined }): Promise<Reply>
  onReply(
    reply: Reply,
    order: Order,
    context: { idempotencyKey: string; isCurrentPage: boolean },
  ): Outcome | Promise<Outcome>
  /** Failure to show; undefined if there is nothing to show. */
  onFailure(error: unknown, order: Order): OrderFailure | undefined
  /** False for an order that charges no money yet: it is not stored, and a lost reply is a plain failure. */
  isCharging?(order: Order): boolean
  /** Further errors after which the order may have been carried out. */
  isOutcomeUnknown?(error: unknown, order: Order): boolean
}

interface Context<Order, Reply> {
  kind: () => OrderKind<Order, Reply>
  isCurrentPage: () => boolean
  setState: (state: OrderState<Order>) => void
}

/**
 * Sends orders of one kind, with one Idempotency-Key per body, kept across retries, step-up and reloads until it is
 * answered. `persisted` is an unanswered order from before a reload; while it is unanswered, `send` repeats it.
 */
export function createMoneyOrder<Order, Reply>(
  persisted: PersistedOrder<Order> | undefined,
  { kind, isCurrentPage, setState }: Context<Order, Reply>,
) {
  const keys = createIdempotencyKeys(
    persisted && { intent: JSON.stringify(kind().buildBody(persisted.order)), key: persisted.idempotencyKey },
  )
  let pendingOrder = persisted?.order
  let canBeExecuted = persisted !== undefined
  let isSending = false

  function sendOnce(order: Order, idempotencyKey: string) {
    const { store, call, isCharging } = kind()
    const attempt = (confirmation: string | undefined) => {
      setState({ status: 'sending', isRetry: false, order })
      if (isCharging?.(order) ?? true) store.save({ idempotencyKey, order })
      const onRetry = () => {
        canBeExecuted = true
        setState({ status: 'sending', isRetry: true, order })
      }
      return retrySameKey(() => call(order, { idempotencyKey, confirmation }), onRetry, canBeExecuted)
    }
    // A step-up request means that this attempt had no effect.
    return withStepUp(attempt, () => (canBeExecuted ? undefined : store.remove(idempotencyKey)))
  }

  async function execute(order: Order, idempotencyKey: string): Promise<void> {
    const reply = await sendOnce(order, idempotencyKey)
    if (reply === notConfirmed) return canBeExecuted ? keepPendingOrder(order) : setState({ status: 'unconfirmed' })
    const { store, onReply } = kind()
    canBeExecuted = false
    pendingOrder = undefined
    keys.clear()
    store.remove(idempotencyKey)
    const outcome = await onReply(reply, order, { idempotencyKey, isCurrentPage: isCurrentPage() })
    if (!outcome) return setState({ status: 'idle' })
    if (!('redirectTo' in outcome)) return setState({ status: 'failed', failure: outcome })
    // Do not redirect if the person has navigated away.
    if (isCurrentPage()) goToProvider(outcome.redirectTo)
  }

  function keepPendingOrder(order: Order): void {
    pendingOrder = order
    canBeExecuted = true
    setState({ status: 'unknown', order })
  }

  function handleError(error: unknown, order: Order, idempotencyKey: string): void {
    const { store, onFailure, isCharging, ...rest } = kind()
    const isOpen = isOutcomeUnknown(error) || rest.isOutcomeUnknown?.(error, order)
    const chargesMoney = isCharging?.(order) ?? true
    if (chargesMoney && (isOpen || (canBeExecuted && !isFinalRefusal(error)))) return keepPendingOrder(order)
    canBeExecuted = false
    pendingOrder = undefined
    keys.failed(error)
    store.remove(idempotencyKey)
    const failure = onFailure(error, order)
    const limit = error instanceof Refused ? error.problem.limit : undefined
    setState(failure ? { status: 'failed', failure: { ...failure, limit } } : { status: 'idle' })
  }

  return {
    async send(newOrder: Order): Promise<void> {
      if (isSending) return
      isSending = true
      const order = pendingOrder ?? newOrder
      const idempotencyKey = keys.getKey(JSON.stringify(kind().buildBody(order)))
      try {
        await execute(order, idempotencyKey)
      } catch (error) {
        handleError(error, order, idempotencyKey)
      } finally {
        isSending = false
      }
    },
  }
}

/** Orders of one page: the state of the last one, and `send` for the next. */
export function useMoneyOrder<Order, Reply>(
  kind: OrderKind<Order, Reply>,
  readPersisted: () => PersistedOrder<Order> | undefined = kind.store.read,
) {
  const isCurrentPage = useIsCurrentPage()
  const latestRef = useRef({ kind, isCurrentPage })
  latestRef.current = { kind, isCurrentPage }
  const [persisted] = useState(readPersisted)
  const [state, setState] = useState<OrderState<Order>>(
    persisted ? { status: 'unknown', order: persisted.order } : { status: 'idle' },
  )
  const [controller] = useState(() =>
    createMoneyOrder<Order, Reply>(persisted, {
      kind: () => latestRef.current.kind,
      isCurrentPage: () => latestRef.current.isCurrentPage(),
      setState,
    }),
  )
  usePageRestore(() => {
    if (kind.store.read()) location.reload()
    else setState((current) => (current.status === 'unknown' ? current : { status: 'idle' }))
  })
  return {
    state,
    restored: persisted?.order,
    /** Unanswered order. The form shows it and stays locked. */
    pending: state.status === 'sending' || state.status === 'unknown' ? state.order : undefined,
    send: (order: Order) => void controller.send(order),
    /** Clears the outcome of the last order once the form has changed. */
    clear: () =>
      setState((current) =>
        current.status === 'failed' || current.status === 'unconfirmed' ? { status: 'idle' } : current,
      ),
  }
}

/** Parts of `useMoneyOrder` that a form needs. */
export type MoneyOrders<Order> = Pick<
  ReturnType<typeof useMoneyOrder<Order, unknown>>,
  'state' | 'pending' | 'send' | 'clear'
>
