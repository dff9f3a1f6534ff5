import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import type { OrderState } from './money-order.ts'

interface OrderNoteProps {
  state: OrderState<unknown>
  texts: { retrying: string; unconfirmed?: string; unknownOutcome: string; seeTransactions?: string }
  /** Stands before `texts.unknownOutcome`. */
  unknownTitle?: string
}

/** What became of the last order, above the button that sends it. */
export function OrderNote({ state, texts, unknownTitle }: OrderNoteProps) {
  if (state.status === 'sending' && state.isRetry) return <Note live>{texts.retrying}</Note>
  if (state.status === 'unconfirmed') return <Note live>{texts.unconfirmed}</Note>
  if (state.status === 'failed' && !state.failure.field) {
    const { title, detail, tone } = state.failure
    return (
      <Note tone={tone ?? 'error'} live={tone !== undefined}>
        {title ? <b>{title}</b> : null} {detail}
      </Note>
    )
  }
  if (state.status !== 'unknown') return null
  return (
    <Note tone="error">
      {unknownTitle && <b>{unknownTitle}</b>} {texts.unknownOutcome}{' '}
      {texts.seeTransactions && <Link to={paths.transactions}>{texts.seeTransactions}</Link>}
    </Note>
  )
}
