import { Suspense } from 'react'
import { Link } from 'react-router'
import type { RefusedOrder } from '../limits/LimitOptions.tsx'
import { paths } from '../paths.ts'
import { SupportText } from '../support/SupportText.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import type { OrderState } from './money-order.ts'

const LimitOptions = lazyComponent(() => import('../limits/LimitOptions.tsx'), 'LimitOptions')

interface OrderNoteProps {
  state: OrderState<unknown>
  texts: { retrying: string; unconfirmed?: string; unknownOutcome: string; seeTransactions?: string }
  /** Precedes `texts.unknownOutcome`. */
  unknownTitle?: string
  /** Order in the form, to offer alternatives after a limit refused it. */
  refused?: RefusedOrder | undefined
}

/** Outcome of the last order, above the button that sends it. */
export function OrderNote({ state, texts, unknownTitle, refused }: OrderNoteProps) {
  if (state.status === 'sending' && state.isRetry) return <Note live>{texts.retrying}</Note>
  if (state.status === 'unconfirmed') return <Note live>{texts.unconfirmed}</Note>
  if (state.status === 'failed' && !state.failure.field) {
    const { title, detail, tone, limit } = state.failure
    return (
      <>
        <Note tone={tone ?? 'error'} live={tone !== undefined}>
          <b>
            <SupportText text={title ?? ''} />
          </b>{' '}
          {detail}
        </Note>
        {limit !== undefined && refused && (
          <Suspense>
            <LimitOptions limit={limit} order={refused} />
          </Suspense>
        )}
      </>
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
