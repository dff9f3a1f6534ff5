import { reportUnrecognizedSession } from '@tern/contract/security'
import { Suspense, useState } from 'react'
import { notifications as texts } from '#messages/home/notifications.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { callApi, signOut } from '../session/session.ts'

const ConfirmDialog = lazyComponent(() => import('../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

/** Whether logins from one device were one's own. What the other answer does is said before it is done. */
export function LoginAnswers({ sessionId, onMine }: { sessionId: string; onMine: () => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const toast = useToast()
  const report = async () => {
    await callApi(reportUnrecognizedSession, { params: { id: sessionId } })
    await signOut()
  }
  return (
    <>
      <Button look="primary" onClick={onMine}>
        {texts.wasMe}
      </Button>
      <Button onClick={() => setIsAsking(true)}>{texts.notMe}</Button>
      {isAsking && (
        <Suspense>
          <ConfirmDialog
            title={texts.notMeTitle}
            text={texts.notMeText}
            action={texts.notMeConfirm}
            cancel={texts.keep}
            onConfirm={() => {
              setIsAsking(false)
              report().catch(() => toast(texts.actionFailed, 'warning'))
            }}
            onClose={() => setIsAsking(false)}
          />
        </Suspense>
      )}
    </>
  )
}
