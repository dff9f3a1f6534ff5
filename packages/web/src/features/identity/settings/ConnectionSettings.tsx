import { useQuery } from '@tanstack/react-query'
import { Outlet } from 'react-router'
import { account } from '#messages/identity/account.ts'
import { useUser } from '../../../app/session/session.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { securityQuery } from '../security-queries.ts'
import { Connections } from './Connections.tsx'

/** The tab of the settings about what is connected with the account: what routes.ts puts first, and other ways to log in. */
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
