import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { type Certificate, createCertificate } from '@tern/contract/statements'
import { useState } from 'react'
import { certificates as texts } from '#messages/statements/certificates.ts'
import { ownTimeZone } from '../../../app/browser/time-zone.ts'
import { paths } from '../../../app/paths.ts'
import { callApi } from '../../../app/session/session.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { certificatesQuery } from '../statement-queries.ts'
import { CertificateEntry } from './CertificateEntry.tsx'

interface CertificatesProps {
  userId: number
  today: string
  /** Day on which the account was opened. */
  since: string
}

/** Makes certificates of balance and lists the person's own. */
export function Certificates({ userId, today, since }: CertificatesProps) {
  const certificates = useQuery(certificatesQuery(userId))
  return (
    <RuledSection title={texts.title} text={texts.text} id="certificates">
      <CertificateForm userId={userId} today={today} since={since} />
      <DataShell
        query={certificates}
        skeleton={<EntrySkeleton />}
        failed={texts.loadFailed}
        empty={(list) => list.length === 0 && <p className="small muted">{texts.none}</p>}
      >
        {(list: readonly Certificate[]) => (
          <ul className="grid">
            {list.map((certificate) => (
              <CertificateEntry key={certificate.code} certificate={certificate} userId={userId} />
            ))}
          </ul>
        )}
      </DataShell>
    </RuledSection>
  )
}

function CertificateForm({ userId, today, since }: CertificatesProps) {
  const toast = useToast()
  const [date, setDate] = useState(today)
  const [isUnverified, setIsUnverified] = useState(false)
  const action = useApiMutation({
    failed: texts.failed,
    refetches: [certificatesQuery(userId).queryKey],
  })
  const make = () =>
    action.run(async () => {
      try {
        await callApi(createCertificate, { body: { date, time_zone: ownTimeZone() } })
        toast(texts.made)
      } catch (error) {
        setIsUnverified(error instanceof Refused && error.code === 'verification_required')
        throw error
      }
    })
  return (
    <form
      className="grid gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        make()
      }}
    >
      <div className="certificate-form">
        <TextField
          label={texts.date}
          hint={date === today ? texts.todayHint : undefined}
          type="date"
          required
          min={since}
          max={today}
          value={date}
          onChange={({ target }) => setDate(target.value)}
        />
        <Button type="submit" processing={action.isBusy}>
          {texts.make}
        </Button>
      </div>
      {action.error && (
        <Note tone="error">
          {action.error}
          {isUnverified && (
            <p className="mt-2">
              <LinkButton to={paths.register}>{texts.verify}</LinkButton>
            </p>
          )}
        </Note>
      )}
    </form>
  )
}
