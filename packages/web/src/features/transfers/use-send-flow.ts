import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../app/paths.ts'
import { useIsCurrentPage } from '../../app/use-is-current-page.ts'
import type { SendForm } from './send-form.ts'

type Step = 0 | 1 | 2

/** History state of /send. Excludes the input, which lives only as long as the page. */
interface SendEntry {
  /** Transfer that this step belongs to. */
  readonly flow?: string
  readonly step?: Step
  /** The preceding history entry is the preceding step. */
  readonly hasBefore?: boolean
  readonly receipt?: string
  readonly cryptoPreSelected?: boolean
  /** Initial values when an earlier transfer is repeated. */
  readonly again?: Partial<SendForm>
  readonly edits?: string
}

/**
 * Binds the steps to the browser history. An entry of another transfer, such as one from before a receipt or a reload,
 * starts a new transfer: no data of the last one, in particular its recipient, is kept.
 */
export function useSendFlow() {
  const location = useLocation()
  const navigate = useNavigate()
  const entry = (location.state ?? {}) as SendEntry
  const [id, setId] = useState(location.key)
  const isOwn = entry.flow === id
  if (!isOwn && location.key !== id) setId(location.key)
  const isCurrentPage = useIsCurrentPage()
  const enter = (state: SendEntry | null, replace = false) => void navigate(paths.send, { state, replace })
  return {
    id,
    cryptoPreSelected: Boolean(entry.cryptoPreSelected),
    again: entry.again,
    /** Step of this history entry; undefined at the start of the transfer. */
    step: isOwn ? entry.step : undefined,
    receipt: entry.receipt,
    edits: entry.edits,
    goOn: (step: Step) => enter({ flow: id, step, hasBefore: true }),
    /** Goes one step back from `step`, through the history if possible. */
    goBack(step: Step) {
      if (isOwn && entry.hasBefore && entry.step === step) void navigate(-1)
      else enter({ flow: id, step: step === 2 ? 1 : 0 }, true)
    },
    /** Replaces the last step with the receipt, so that it cannot be revisited. */
    finish(receipt: string) {
      // Do not redirect if the user has navigated away.
      if (isCurrentPage()) enter({ receipt }, true)
    },
    startAnother: () => enter(null),
    /** Replaces the result of a transfer with its form. */
    edit: (edits: string) => enter({ edits }, true),
    /** Clears query and fragment of the address within the same transfer. */
    clearAddress: () => enter({ flow: id }, true),
  }
}

export type SendFlow = ReturnType<typeof useSendFlow>
