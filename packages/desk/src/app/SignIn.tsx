import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from '@simplewebauthn/browser'
import { useQueryClient } from '@tanstack/react-query'
import { beginSignIn, signIn } from '@tern/contract/desk/operators'
import { desk } from '@tern/messages/en/desk/desk'
import { useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { Mark } from '@tern/web/ui/icon/Brand.tsx'
import { call, queryKeys } from './client.ts'
import { SignInLayout } from './SignInLayout.tsx'
import { errorMessage, useTitle } from './use-desk.ts'

const texts = desk.signIn

/** Sign-in page; passkeys are the only method. */
export function SignIn() {
  useTitle(texts.title)
  const client = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function handleSignIn() {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const { ceremony, options } = await call(beginSignIn, {})
      const response = await startAuthentication({
        optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
      }).catch(() => undefined)
      if (!response) return setProblem(texts.cancelled)
      client.setQueryData(queryKeys.me, await call(signIn, { body: { ceremony, response: { ...response } } }))
    } catch (error) {
      setProblem(errorMessage(error))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <SignInLayout>
      <Mark />
      <h1>{texts.title}</h1>
      <p className="muted">{texts.text}</p>
      {browserSupportsWebAuthn() ? (
        <Button look="primary" wide processing={isBusy} onClick={() => void handleSignIn()}>
          {texts.button}
        </Button>
      ) : (
        <Note tone="error">{texts.unsupported}</Note>
      )}
      {problem && <Note tone="error">{problem}</Note>}
    </SignInLayout>
  )
}
