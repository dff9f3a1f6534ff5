import { frame } from '#messages/site/frame.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'

interface WaitlistFormProps {
  /** Of the field, unique on the page. */
  id: string
  /** Whether this is the form that a visitor without script comes back to, thanked. */
  isMain?: boolean
}

/** Takes an email address for the waitlist. Works as a plain form; the page's script sends it without leaving. */
export function WaitlistForm({ id, isMain = false }: WaitlistFormProps) {
  return (
    <form className="waitlist" action="/api/waitlist" method="post" noValidate data-waitlist>
      <label className="field-label" htmlFor={id}>
        {frame.email}
      </label>
      <div className="waitlist-row">
        <div className="input-box">
          <input
            className="input"
            id={id}
            name="email"
            type="email"
            autoComplete="email"
            placeholder={frame.emailExample}
          />
        </div>
        <button className="button button-primary button-big" type="submit">
          {frame.joinWaitlist}
        </button>
      </div>
      <div className="waitlist-answer" id={isMain ? 'joined' : undefined}>
        <p className="hint waitlist-hint">{frame.waitlistHint}</p>
        <p className="waitlist-thanks" role="status" data-thanks={frame.waitlistThanks}>
          {isMain && (
            <span className="waitlist-joined">
              <Icon name="check" />
              {frame.waitlistThanks}
            </span>
          )}
        </p>
      </div>
    </form>
  )
}
