import { useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { desk } from '@tern/messages/en/desk/desk'
import { useEffect } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { QueuePage } from './entry/QueuePage.tsx'
import { LogPage } from './watch/LogPage.tsx'
import { OperatorsPage } from './watch/OperatorsPage.tsx'
import { PeoplePage } from './watch/PeoplePage.tsx'
import { TreasuryPage } from './watch/TreasuryPage.tsx'
import { places } from './app/client.ts'
import { SignInLayout } from './app/SignInLayout.tsx'
import { Enroll } from './app/Enroll.tsx'
import { Frame } from './app/Frame.tsx'
import { SignIn } from './app/SignIn.tsx'
import { forgetSession, MeContext, errorMessage, useMe, useSession } from './app/use-desk.ts'

/** Routes of the operators' desk: enrolment, or sign-in followed by the frame with one page. */
export function DeskRoutes() {
  return (
    <Routes>
      <Route path="/enroll" element={<Enroll />} />
      <Route path="*" element={<SignedInDesk />} />
    </Routes>
  )
}

/** Requires a session. A query refused as `unauthenticated` ends the session in the page and drops all loaded data. */
function SignedInDesk() {
  const session = useSession()
  const client = useQueryClient()
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const { error } = query.state
        if (error instanceof Refused && error.code === 'unauthenticated') forgetSession(client)
      }),
    [client],
  )
  if (session.isPending) return <p className="p-6">{desk.loading}</p>
  if (session.isError) {
    return (
      <SignInLayout>
        <Note tone="error">{errorMessage(session.error)}</Note>
        <Button onClick={() => void session.refetch()}>{desk.tryAgain}</Button>
      </SignInLayout>
    )
  }
  if (session.data === null) return <SignIn />
  return (
    <MeContext value={session.data}>
      <Frame>
        <Routes>
          <Route path="/queues/:queue/:id?" element={<QueuePage />} />
          <Route path="/treasury" element={<TreasuryPage />} />
          <Route path="/people" element={<PeoplePage />} />
          <Route path="/operators" element={<OperatorsPage />} />
          <Route path="/log" element={<LogPage />} />
          <Route path="*" element={<DefaultRedirect />} />
        </Routes>
      </Frame>
    </MeContext>
  )
}

function DefaultRedirect() {
  const { acts } = useMe()
  const firstPlace = places.find(({ act }) => acts.includes(act))
  return firstPlace ? (
    <Navigate to={firstPlace.path} replace />
  ) : (
    <main id="main" className="dk-page">
      {desk.nothingToDo}
    </main>
  )
}
