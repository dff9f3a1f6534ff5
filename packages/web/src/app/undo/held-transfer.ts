import { queryOptions } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { cancelTransfer, settleTransfer, type Transfer, transferStatus } from '@tern/contract/transfers'
import { useEffect, useRef, useState } from 'react'
import { undo as texts } from '#messages/transfers/undo.ts'
import { moneyKeys } from '../session/live.ts'
import { callApi } from '../session/session.ts'
import { useApiMutation } from '../use-api-mutation.ts'
import { findAnnouncement, announcementText, secondsUntil } from './countdown.ts'

/** A transfer, and when its hold ends by this device's clock. */
export interface HeldTransfer {
  readonly transfer: Transfer
  readonly endsAtMs: number
}

/** True if the transfer was in its undo window when it was last loaded. */
export const canBeUndone = ({ transfer: { state, hold } }: HeldTransfer): boolean =>
  state === 'held' && hold?.reason === 'undo'

/** True if the transfer was held for a review or for compliance when it was last loaded. */
export const isAwaitingDecision = ({ transfer: { state, hold } }: HeldTransfer): boolean =>
  state === 'held' && (hold?.reason === 'review' || hold?.reason === 'compliance')

/** True if the transfer was held by street mode when it was last loaded. */
export const isStreetHeld = ({ transfer: { state, hold } }: HeldTransfer): boolean =>
  state === 'held' && hold?.reason === 'street_mode'

/** True if the transfer was held until a decision or a second confirmation when it was last loaded. */
export const isWaiting = (heldTransfer: HeldTransfer): boolean =>
  isAwaitingDecision(heldTransfer) || isStreetHeld(heldTransfer)

/** Total length of the hold in seconds. */
export const windowSeconds = ({ transfer: { hold } }: HeldTransfer): number => Math.ceil((hold?.lasts_ms ?? 0) / 1000)

// Time for the server to act on the deadline.
const afterDeadlineMs = 300
const pauseMs = 1000
const holdPauseMs = 30_000

const holdableTypes = new Set<string>(['SEND', 'WITHDRAW', 'EXCHANGE'])
type HoldableTransaction = Pick<Transaction, 'id' | 'status' | 'transaction_type'> &
  Partial<Pick<Transaction, 'hold_reason'>>

const canBeHeld = ({ transaction_type: type, status, hold_reason: reason }: HoldableTransaction): boolean =>
  status === 'PENDING' && (holdableTypes.has(type) || (reason ?? null) !== null)

export async function fetchHeldTransfer(id: string, signal: AbortSignal): Promise<HeldTransfer> {
  // Measured from before the request, so that a slow reply never shows more time than is left.
  const requestedAtMs = Date.now()
  const transfer = await callApi(transferStatus, { params: { id } }, signal)
  return { transfer, endsAtMs: requestedAtMs + (transfer.hold?.remaining_ms ?? 0) }
}

/** State of a payment that has not settled: refetched when its undo window ends, and every 30 s while it is on hold. */
export const heldQuery = (transaction: HoldableTransaction) =>
  queryOptions({
    queryKey: ['held', transaction.id, transaction.status],
    queryFn: ({ signal }) => fetchHeldTransfer(transaction.id, signal),
    enabled: canBeHeld(transaction),
    refetchInterval({ state: { data } }) {
      if (!data) return pauseMs
      if (isAwaitingDecision(data) || isStreetHeld(data)) return holdPauseMs
      return canBeUndone(data) && Math.max(pauseMs, data.endsAtMs + afterDeadlineMs - Date.now())
    },
    refetchIntervalInBackground: true,
    retry: false,
    staleTime: 0,
  })

const tickMs = 200

/** Whole seconds until `endsAtMs`, and the text to announce. */
export function useSecondsLeft(endsAtMs: number): { seconds: number; announcement: string } {
  const [seconds, setSeconds] = useState(() => secondsUntil(endsAtMs, Date.now()))
  const announced = useRef({ which: findAnnouncement(seconds), text: '' })
  useEffect(() => {
    const update = () => setSeconds(secondsUntil(endsAtMs, Date.now()))
    update()
    const timer = setInterval(update, tickMs)
    return () => clearInterval(timer)
  }, [endsAtMs])
  const announcement = findAnnouncement(seconds)
  if (announcement !== announced.current.which || (announcement && announced.current.text === '')) {
    announced.current = { which: announcement, text: announcement ? announcementText(announcement, seconds) : '' }
  }
  return { seconds, announcement: announced.current.text }
}

/** Cancels a held transfer, or sends it now. */
export function useUndo({ id, userId, onDone }: { id: string; userId: number; onDone?: (text: string) => void }) {
  const refetches = [['held', id], ...moneyKeys(userId)]
  const isTooLate = (error: unknown) => error instanceof Refused && error.code === 'not_cancelable'
  const cancel = useApiMutation({ failed: (error) => (isTooLate(error) ? texts.tooLate : texts.undoFailed), refetches })
  const settle = useApiMutation({ failed: () => texts.sendNowFailed, refetches })
  return {
    isBusy: cancel.isBusy || settle.isBusy,
    error: cancel.error ?? settle.error,
    cancel: () => cancel.send(cancelTransfer, { params: { id } }, () => onDone?.(texts.undone)),
    settle: () => settle.send(settleTransfer, { params: { id } }, () => onDone?.(texts.sent)),
  }
}
