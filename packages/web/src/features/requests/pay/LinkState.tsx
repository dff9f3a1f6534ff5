import type { ReactNode } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { paths } from '../../../app/paths.ts'
import { useUser } from '../../../app/session/session.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'

const drawing = 'mb-4 w-58 fill-none stroke-line-strong stroke-[1.5] [stroke-linecap:round]'
const arc = 'stroke-sea stroke-2'
const dottedClass = '[stroke-dasharray:1_6]'

export type LinkStateName =
  | 'paid'
  | 'held'
  | 'processing'
  | 'expired'
  | 'cancelled'
  | 'declined'
  | 'changed'
  | 'other'
  | 'own'
  | 'none'

const titles: Readonly<Record<LinkStateName, string>> = {
  paid: pay.paidTitle,
  held: pay.heldTitle,
  processing: pay.processingTitle,
  expired: pay.expiredTitle,
  cancelled: pay.cancelledTitle,
  declined: pay.declinedTitle,
  changed: pay.changedTitle,
  other: pay.otherTitle,
  own: pay.ownTitle,
  none: pay.noLinkTitle,
}

/** Fixed texts. The texts of the other states contain a name and are passed in. */
const texts: Partial<Record<LinkStateName, string>> = {
  held: pay.heldText,
  processing: pay.processingText,
  changed: pay.changedText,
  other: pay.otherText,
  own: pay.ownText,
  none: pay.noLinkText,
}

interface LinkStateProps {
  state: LinkStateName
  /** Overrides the title of the state. */
  title?: string | undefined
  text?: string | undefined
  /** Shown between text and actions. */
  footer?: ReactNode
  /** Actions; by default a link to the dashboard, or to the landing page for visitors. */
  children?: ReactNode
}

/** State of a link that cannot be paid: drawing, heading, and one action. */
export function LinkState({ state, title = titles[state], text = texts[state], footer, children }: LinkStateProps) {
  const user = useUser()
  return (
    <section className="max-w-140 mx-auto py-18 px-4">
      <Drawing state={state} />
      <FocusedHeading level="h1" className="display-m">
        {title}
      </FocusedHeading>
      {text && <p className="muted mt-3 wrap-anywhere">{text}</p>}
      {footer}
      <div className="row mt-6 flex-wrap">
        {children ?? (
          <LinkButton to={user ? paths.dashboard : paths.landing} reloadDocument={!user}>
            {user ? pay.openDashboard : pay.home}
          </LinkButton>
        )}
      </div>
    </section>
  )
}

/** Arc of the drawing: complete when paid, partial in the other listed states, none elsewhere. */
const arcs: Partial<Record<LinkStateName, string>> = {
  paid: 'M24 84a96 96 0 0 1 152 0',
  held: 'M24 84a96 96 0 0 1 76-38',
  processing: 'M24 84a96 96 0 0 1 76-38',
  expired: 'M24 84a96 96 0 0 1 76-38',
  changed: 'M24 84a96 96 0 0 1 76-38',
}

function Drawing({ state }: { state: LinkStateName }) {
  const isDotted = state === 'expired' || state === 'held' || state === 'processing'
  return (
    <svg className={drawing} viewBox="0 0 200 100" aria-hidden="true">
      <path d={state === 'changed' ? 'M4 84h96M104 92h92' : 'M4 84h192'} />
      {arcs[state] && <path className={isDotted ? `${arc} ${dottedClass}` : arc} d={arcs[state]} />}
      {state === 'changed' && <path className={dottedClass} d="M104 54a96 96 0 0 1 72 38" />}
      <circle className="fill-paper stroke-ink" cx="24" cy="84" r="4" />
      {state === 'paid' ? (
        <circle className="fill-beak stroke-none" cx="176" cy="84" r="6" />
      ) : (
        <circle className="fill-paper" cx="176" cy={state === 'changed' ? 92 : 84} r="4" />
      )}
      {(state === 'cancelled' || state === 'declined') && <path d="M169 92l14-16" />}
    </svg>
  )
}
