import { useQuery } from '@tanstack/react-query'
import { streetMode } from '@tern/contract/transfers/street-mode'
import { street as texts } from '#messages/transfers/street.ts'
import { callApi } from '../../../../app/session/session.ts'
import { ErrorState } from '../../../../ui/feedback/ErrorState.tsx'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { Entry, EntrySkeleton, RuledSection } from '../../../../ui/layout/RuledSection.tsx'
import { Places } from './Places.tsx'
import { StreetChoice } from './StreetChoice.tsx'
import { streetKey } from './use-street.ts'

/** Street mode: whether it is on, its limit and night, and where somebody is at home. */
export function StreetSection({ userId }: { userId: number }) {
  const { data, isError, refetch } = useQuery({
    queryKey: streetKey(userId),
    queryFn: ({ signal }) => callApi(streetMode, {}, signal),
  })
  return (
    <RuledSection title={texts.title} text={texts.text}>
      {data ? (
        <>
          <Entry
            title={<StatusBadge state={data.is_on ? 'good' : 'plain'}>{data.is_on ? texts.on : texts.off}</StatusBadge>}
          />
          <StreetChoice key={data.next?.at ?? ''} userId={userId} stored={data} />
          <Places userId={userId} mode={data} />
        </>
      ) : isError ? (
        <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
      ) : (
        <EntrySkeleton />
      )}
    </RuledSection>
  )
}
