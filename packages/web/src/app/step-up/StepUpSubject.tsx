import type { StepUpRequirement } from '@tern/contract/security'
import { isCurrencyCode } from '@tern/money/currency'
import { stepUp } from '#messages/identity/step-up.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { NamedItem } from '../../ui/layout/NamedItem.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatRateLine } from '../../ui/money/rates.ts'

export type Subject = StepUpRequirement['subject']

const findTerm = (name: string): string => {
  const label = name.replaceAll('_', ' ')
  return stepUp.terms[name] ?? label.charAt(0).toLocaleUpperCase() + label.slice(1)
}

/** Formats a server amount or rate, such as "751050.00 INR", as on every other page; returns other text unchanged. */
export function formatSubjectValue(text: string): string {
  const [, source, rate, target] = /^1 ([A-Z]{3,5}) = (\d+(?:\.\d+)?) ([A-Z]{3,5})$/.exec(text) ?? []
  if (source && rate && target) return formatRateLine(rate, source, target)
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3,5})$/.exec(text) ?? []
  return amount !== undefined && currency !== undefined && isCurrencyCode(currency)
    ? formatExact(amount, currency)
    : text
}

/**
 * Splits "Priya Raman (@priya.raman)" into name and username, without the @. For a person without a name, `name` is the
 * username.
 */
export function splitPayee(to: string): { name: string; username?: string } {
  const [, name, username] = /^(.+) \(@(\S+)\)$/.exec(to) ?? []
  return name === undefined || username === undefined ? { name: to.replace(/^@/, '') } : { name, username }
}

interface StepUpSubjectProps {
  action: StepUpRequirement['action']
  subject: Subject
  before: Subject | undefined
}

/** Subject of a confirmation: for a payment its payee, amount and price, else each of its terms. */
export function StepUpSubject({ action, subject, before }: StepUpSubjectProps) {
  const { to, receives: exactAmount, receives_about: about, ...rest } = subject
  const receivedAmount = exactAmount ?? about
  const isPayment = action === 'send_money' && to !== undefined && receivedAmount !== undefined
  const entries = Object.entries(isPayment ? rest : subject)
  return (
    <>
      {before && (
        <div className="mt-4">
          <Note live tone="warning">
            {stepUp.changed}
          </Note>
        </div>
      )}
      {isPayment && (
        <Payee
          {...{ to, receivedAmount }}
          isEstimate={about !== undefined}
          before={before?.receives ?? before?.receives_about}
        />
      )}
      {entries.length > 0 && (
        <div className="mt-4 border-y">
          <DefinitionList
            small
            entries={entries.map(([name, value]) => ({
              term: findTerm(name),
              value: formatSubjectValue(value),
              sum: name === 'total',
            }))}
          />
        </div>
      )}
    </>
  )
}

interface PayeeProps {
  to: string
  receivedAmount: string
  /** The payment is priced later. */
  isEstimate: boolean
  before: string | undefined
}

function Payee({ to, receivedAmount, isEstimate, before }: PayeeProps) {
  const { name, username } = splitPayee(to)
  return (
    <>
      <div className="row mt-4">
        <Avatar name={name} />
        <NamedItem name={name} details={username} />
      </div>
      {before !== undefined && before !== receivedAmount && (
        <p className="small muted mt-4">
          {stepUp.wouldHaveGot} <s>{formatSubjectValue(before)}</s>
        </p>
      )}
      <p className="small muted mt-4">{isEstimate ? stepUp.getsAbout : stepUp.gets}</p>
      <p className="balance balance-small">{formatSubjectValue(receivedAmount)}</p>
    </>
  )
}
