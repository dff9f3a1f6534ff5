import type { PayeeCheck } from '@tern/contract/banking'
import { useId } from 'react'
import { payee as texts } from '#messages/payee.ts'
import { Checkbox } from '../../ui/forms/Checkbox.tsx'
import { FieldError } from '../../ui/forms/Field.tsx'
import { Note } from '../../ui/feedback/Note.tsx'

interface PayeeNoteProps {
  payee: PayeeCheck
  /** The user accepts a mismatch; without a handler it is only told. */
  acceptance?: { isAccepted: boolean; onChange: (isAccepted: boolean) => void; isMissing: boolean }
}

/** Bank's answer about the name on an account. A match needs no words. */
export function PayeeNote({ payee: { result, known_name: name }, acceptance }: PayeeNoteProps) {
  if (result === 'match') return null
  if (result === 'not_possible' || result === 'unknown') {
    return <Note live>{result === 'unknown' ? texts.unknown : texts.impossible}</Note>
  }
  const isClose = result === 'close_match'
  return (
    <div className="grid gap-3">
      <Note live tone={isClose ? 'warning' : 'error'}>
        {isClose ? (
          name === null ? (
            texts.closeUnnamed
          ) : (
            <CloseName name={name} />
          )
        ) : (
          <>
            <b>{texts.none}</b> {texts.noneText}
          </>
        )}
      </Note>
      {acceptance && <Acceptance {...acceptance} isClose={isClose} />}
    </div>
  )
}

const CloseName = ({ name }: { name: string }) => <b className="break-words">{texts.close(name)}</b>

type AcceptanceProps = NonNullable<PayeeNoteProps['acceptance']> & { isClose: boolean }

function Acceptance({ isAccepted, onChange, isMissing, isClose }: AcceptanceProps) {
  const errorId = useId()
  return (
    <div>
      <Checkbox
        checked={isAccepted}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? errorId : undefined}
        onChange={({ target }) => onChange(target.checked)}
      >
        {isClose ? texts.closeAccept : texts.noneAccept}
      </Checkbox>
      {isMissing && <FieldError id={errorId}>{isClose ? texts.closeMissing : texts.noneMissing}</FieldError>}
      {!isClose && isAccepted && <p className="small muted mt-2">{texts.noneNext}</p>}
    </div>
  )
}
