import { Link } from 'react-router'
import { warnings as texts } from '#messages/transfers/warnings.ts'
import { paths } from '../paths.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Checkbox } from '../../ui/forms/Checkbox.tsx'
import type { usePayeeWarning } from './use-payee-warning.ts'

interface PayeeWarningProps {
  /** Payee as the page names them. */
  name: string
  amount: string
  state: ReturnType<typeof usePayeeWarning>
}

/** Warning about the payment, with what to do, and the confirmation that it was read. */
export function PayeeWarning({ name, amount, state: { warning, isRead, onRead, problem, place } }: PayeeWarningProps) {
  if (!warning) return null
  const { patterns, similar_to: similarTo } = warning
  const isAboutCall = patterns.includes('during_call') || patterns.includes('refused_call')
  return (
    <section className="grid gap-4" aria-labelledby="payee-warning">
      <Note tone="warning" live>
        <h2 className="display-s" id="payee-warning">
          {texts.title}
        </h2>
        {patterns.map((pattern) => (
          <div key={pattern} className="mt-3">
            <b className="font-medium">{texts.patterns[pattern].title(name, similarTo ?? '')}</b>
            <p>{texts.patterns[pattern].text}</p>
          </div>
        ))}
        {isAboutCall && (
          <p className="mt-3">
            <Link to={paths.calls}>{texts.callLink}</Link>
          </p>
        )}
      </Note>
      <Checkbox
        ref={place}
        checked={isRead}
        aria-describedby={problem === undefined ? undefined : 'payee-warning-problem'}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => onRead(target.checked)}
      >
        {texts.read(amount, name)}
      </Checkbox>
      {problem !== undefined && (
        <div id="payee-warning-problem">
          <Note tone="error">{problem}</Note>
        </div>
      )}
    </section>
  )
}
