import '../../../../css/privacy.css'
import { useQuery } from '@tanstack/react-query'
import { privacyOverview } from '@tern/contract/privacy/privacy'
import { shell } from '#messages/shell.ts'
import { privacy } from '#messages/identity/privacy.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { SkeletonLine } from '../../../../ui/feedback/Skeleton.tsx'
import { useArrival } from '../../../../ui/layout/use-arrival.ts'
import { Consents } from './Consents.tsx'
import { Corrections } from './Corrections.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { Download } from './Download.tsx'
import { StoredDataTable } from './StoredDataTable.tsx'
import { AccessLog } from './AccessLog.tsx'

const columnsClass = 'grid grid-cols-2 gap-x-16 gap-y-10 mt-14 max-md:grid-cols-1 max-md:mt-10'

export const privacyQuery = (userId: number) => buildQuery(['privacy', userId], privacyOverview, {})

/** Stored data, access log, consents and account deletion. */
export function PrivacySection({ userId }: { userId: number }) {
  const privacyResult = useQuery(privacyQuery(userId))
  const { data } = privacyResult
  const place = useArrival<HTMLElement>('privacy', data !== undefined)
  return (
    <section className="privacy" id="privacy" aria-labelledby="privacy-title" ref={place} tabIndex={-1}>
      <div className="flex flex-wrap gap-4 items-start justify-between">
        <div>
          <h2 className="display-s" id="privacy-title">
            {privacy.title}
          </h2>
          <p className="muted mt-1">{privacy.text}</p>
        </div>
        {data && <Download />}
      </div>
      <DataShell query={privacyResult} skeleton={<PrivacySkeleton />} failed={privacy.loadFailed}>
        {({ held, corrections }) => (
          <>
            <StoredDataTable storedData={held} userId={userId} />
            <Corrections corrections={corrections} />
          </>
        )}
      </DataShell>
      <div className={columnsClass}>
        <AccessLog userId={userId} />
        {data && <Consents consents={data.consents} userId={userId} />}
      </div>
      <DeleteAccount userId={userId} />
    </section>
  )
}

function PrivacySkeleton() {
  return (
    <div className="mt-6 grid gap-6" aria-busy="true" aria-label={shell.loading}>
      {Array.from({ length: 6 }, (_, index) => (
        <SkeletonLine key={index} className={index % 2 === 0 ? 'w-full' : 'w-3/5'} />
      ))}
    </div>
  )
}
