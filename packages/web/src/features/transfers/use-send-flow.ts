import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../app/paths.ts'
import { useIsCurrentPage } from '../../app/use-is-current-page.ts'
import type { SendForm } from './send-form.ts'

type Step = 0 | 1 | 2

/** What an entry of the browser's history keeps of /send. What was typed is not in it: that lives as long as the page. */
interface SendEntry {
  /** The round this step belongs to. */
  readonly flow?: string
  readonly step?: Step
  /** The step before is the entry before. */
  readonly hasBefore?: boolean
  /** The transaction whose receipt stands here. */
  readonly receipt?: string
  readonly cryptoPreSelected?: boolean
  /** What to begin with: an earlier transfer once more. */
  readonly again?: Partial<SendForm>
  /** The transaction that was taken back and is to be changed. */
  readonly edits?: string
}

/**
 * Ties the steps to the browser's history. An entry of another round, such as one before a receipt or a reload, begins a
 * new round where it stands: nothing of the last transfer, least of all its recipient, is left in it.
 */
export function useSendFlow() {
  const location = useLocation()
  const navigate = useNavigate()
  const entry = (location.state ?? {}) as SendEntry
  const [id, setId] = useState(location.key)
  const isOwn = entry.flow === id
  if (!isOwn && location.key !== id) setId(location.key)
  const isHere = useIsCurrentPage()
  const enter = (state: SendEntry | null, replace = false) => void navigate(paths.send, { state, replace })
  return {
    id,
    cryptoPreSelected: Boolean(entry.cryptoPreSelected),
    again: entry.again,
    /** The step of this entry of the history; undefined where the round began. */
    step: isOwn ? entry.step : undefined,
    receipt: entry.receipt,
    edits: entry.edits,
    goOn: (step: Step) => enter({ flow: id, step, hasBefore: true }),
    /** One step back from `step`, by the history where that has it. */
    goBack(step: Step) {
      if (isOwn && entry.hasBefore && entry.step === step) void navigate(-1)
      else enter({ flow: id, step: step === 2 ? 1 : 0 }, true)
    },
    /** The receipt takes the place of the last step, which must not be met again. */
    finish(receipt: string) {
      // Whoever has gone to another page meanwhile stays there.
      if (isHere()) enter({ receipt }, true)
    },
    startAnother: () => enter(null),
    /** The form that a transfer came from takes the place of what became of it. */
    edit: (edits: string) => enter({ edits }, true),
    /** Takes everything after the path out of the address; it is the same round still. */
    clearAddress: () => enter({ flow: id }, true),
  }
}

/** One transfer from its first step to its receipt. */
export type SendFlow = ReturnType<typeof useSendFlow>
