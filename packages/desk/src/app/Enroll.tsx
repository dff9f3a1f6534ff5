import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from '@simplewebauthn/browser'
import { useQuery } from '@tanstack/react-query'
import { beginEnrolment, finishEnrolment } from '@tern/contract/desk/operators'
import { Refused } from '@tern/contract/protocol/client'
import { desk } from '@tern/messages/en/desk/desk'
import { useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button, LinkButton } from '@tern/web/ui/forms/Button.tsx'
import { Mark } from '@tern/web/ui/icon/Brand.tsx'
import { call } from './client.ts'
import { SignInLayout } from './SignInLayout.tsx'
import { errorMessage, useTitle } from './use-desk.ts'

const texts = desk.enroll

/** Page of an enrolment link. The token is in the URL fragment, which browsers do not send to the server. */
export function Enroll() {
  useTitle(texts.heading)
  const [token] = useState(() => window.location.hash.slice(1))
  const [isBusy, setIsBusy] = useState(false)
  const [isDone, setIsDone] = useState(false)
  const [problem, setProblem] = useState<string>()
  const enrolment = useQuery({
    queryKey: ['enrolment'],
    queryFn: ({ signal }) => call(beginEnrolment, { body: { token } }, signal),
    staleTime: Infinity,
  })

  async function add() {
    if (!enrolment.data) return
    setIsBusy(true)
    setProblem(undefined)
    const { ceremony, options } = enrolment.data
    try {
      const response = await startRegistration({
        optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
      }).catch(() => undefined)
      if (!response) return setProblem(desk.signIn.cancelled)
      await call(finishEnrolment, { body: { token, ceremony, response: { ...response } } })
      setIsDone(true)
    } catch (error) {
      setProblem(errorMessage(error))
      void enrolment.refetch()
    } finally {
      setIsBusy(false)
    }
  }

  const isInvalid = enrolment.error instanceof Refused
  return (
    <SignInLayout>
      <Mark />
      <h1>{enrolment.data ? texts.title(enrolment.data.name) : texts.heading}</h1>
      {enrolment.isPending && <p>{desk.loading}</p>}
      {enrolment.isError && !isDone && (
        <Note tone="error">{isInvalid ? texts.invalid : errorMessage(enrolment.error)}</Note>
      )}
      {enrolment.data && !isDone && (
        <>
          <p className="muted">{texts.text}</p>
          <Button look="primary" wide processing={isBusy} onClick={() => void add()}>
            {texts.button}
          </Button>
        </>
      )}
      {problem && !isDone && <Note tone="error">{problem}</Note>}
      {isDone && (
        <>
          <Note live>{texts.done}</Note>
          <LinkButton look="primary" wide to="/">
            {texts.toSignIn}
          </LinkButton>
        </>
      )}
    </SignInLayout>
  )
}
