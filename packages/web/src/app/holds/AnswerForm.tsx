import { answerCheck, type Check } from '@tern/contract/compliance/checks'
import { documentTypes } from '@tern/contract/countries'
import { Suspense, useCallback, useState } from 'react'
import { kyc } from '#messages/identity/kyc.ts'
import { holds as texts } from '#messages/transfers/holds.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { callApi } from '../session/session.ts'
import { CheckForm } from './CheckForm.tsx'
import { useCheckCommand } from './check-queries.ts'

const DocumentUploads = lazyComponent(() => import('../documents/DocumentUploads.tsx'), 'DocumentUploads')

/** Form for the answer to a check, with an upload if it requests a document. */
export function AnswerForm({ check, userId }: { check: Check; userId: number }) {
  const toast = useToast()
  const { id, need, need_by: answerDeadline } = check
  const { send, isBusy, error } = useCheckCommand({
    userId,
    otherwise: texts.answerFailed,
    onDone: () => toast(texts.answered),
  })
  const [type, setType] = useState<string>('')
  const [isUploading, setIsUploading] = useState(false)
  const onBusy = useCallback((busy: boolean) => setIsUploading(busy), [])
  if (need === 'nothing') return null
  const deadlineText = answerDeadline ? ` ${texts.answerClock(formatDateTime(answerDeadline))}` : ''
  return (
    <CheckForm
      title={texts.answerTitle}
      text={texts.answerText[need] + deadlineText}
      label={texts.answerLabel}
      button={texts.sendAnswer}
      isBusy={isBusy || isUploading}
      error={error}
      onSend={(text) => send(() => callApi(answerCheck, { params: { id }, body: { text } }))}
    >
      {need === 'document' && (
        <>
          <SelectField
            label={texts.documentType}
            placeholder={texts.chooseDocument}
            value={type}
            onChange={({ currentTarget }) => setType(currentTarget.value)}
            choices={documentTypes.map((value) => ({ value, label: kyc.documentTypes[value] }))}
          />
          {type !== '' && (
            <Suspense>
              <DocumentUploads userId={userId} documentType={type} isRequested onBusy={onBusy} />
            </Suspense>
          )}
        </>
      )}
    </CheckForm>
  )
}
