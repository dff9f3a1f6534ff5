import { useQuery } from '@tanstack/react-query'
import { Outlet } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { useUser } from '../../../app/session/session.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { securityQuery } from '../security-queries.ts'
import { Connections } from './Connections.tsx'

/** Settings tab for connected services: the child page of routes.ts, then external sign-in methods. */
export default function ConnectionSettings() {
  const userId = useUser()?.id
  return (
    <>
      <Outlet />
      {userId !== undefined && <SignInConnections key={userId} userId={userId} />}
    </>
  )
}

function SignInConnections({ userId }: { userId: number }) {
  const { data: security, isError, refetch } = useQuery(securityQuery(userId))
  if (security) return <Connections connections={security.external} />
  return (
    <RuledSection title={account.connectedTitle} text={account.connectedText}>
      {isError ? <ErrorState title={account.loadFailed} onRetry={() => void refetch()} /> : <EntrySkeleton />}
    </RuledSection>
  )
}
