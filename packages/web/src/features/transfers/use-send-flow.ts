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
  readonly hasPrevious?: boolean
  readonly receipt?: string
  readonly cryptoPreSelected?: boolean
  /** Initial values when an earlier transfer is repeated. */
  readonly again?: Partial<SendForm>
  readonly editedId?: string
}

/**
 * Binds the steps to the browser history. An entry of another transfer, such as one from before a reload, starts a new
 * transfer without any data of the last one, in particular its recipient.
 */
export function useSendFlow() {
  const location = useLocation()
  const navigate = useNavigate()
  const entry = (location.state ?? {}) as SendEntry
  const [id, setId] = useState(location.key)
  const isOwnEntry = entry.flow === id
  if (!isOwnEntry && location.key !== id) setId(location.key)
  const isCurrentPage = useIsCurrentPage()
  const goToSend = (state: SendEntry | null, replace = false) => void navigate(paths.send, { state, replace })
  return {
    id,
    cryptoPreSelected: Boolean(entry.cryptoPreSelected),
    again: entry.again,
    /** Step of this history entry; undefined at the start of the transfer. */
    step: isOwnEntry ? entry.step : undefined,
    receipt: entry.receipt,
    editedId: entry.editedId,
    goOn: (step: Step) => goToSend({ flow: id, step, hasPrevious: true }),
    /** Goes one step back from `step`, through the history if possible. */
    goToStep(step: Step) {
      if (isOwnEntry && entry.hasPrevious && entry.step === step) void navigate(-1)
      else goToSend({ flow: id, step: step === 2 ? 1 : 0 }, true)
    },
    /** Replaces the last step with the receipt, so that it cannot be revisited. */
    finish(receipt: string) {
      // Do not redirect if the user has navigated away.
      if (isCurrentPage()) goToSend({ receipt }, true)
    },
    startAnother: () => goToSend(null),
    /** Replaces the result of a transfer with its form. */
    edit: (editedId: string) => goToSend({ editedId }, true),
    /** Clears query and fragment of the address within the same transfer. */
    clearAddress: () => goToSend({ flow: id }, true),
  }
}

export type SendFlow = ReturnType<typeof useSendFlow>
