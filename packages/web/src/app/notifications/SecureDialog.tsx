import { reportUnrecognizedSession } from '@tern/contract/security'
import { notifications as texts } from '#messages/home/notifications.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { ConfirmDialog } from '../../ui/layout/ConfirmDialog.tsx'
import { callApi, signOut } from '../session/session.ts'

/**
 * Explains the effects of securing the account before a login is reported. Stays open when the panel below it closes.
 */
export function SecureDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const toast = useToast()
  const report = async () => {
    await callApi(reportUnrecognizedSession, { params: { id: sessionId } })
    await signOut()
  }
  return (
    <ConfirmDialog
      title={texts.notMeTitle}
      text={texts.notMeText}
      action={texts.notMeConfirm}
      cancel={texts.keep}
      onConfirm={() => {
        onClose()
        report().catch(() => toast(texts.actionFailed, 'warning'))
      }}
      onClose={onClose}
    />
  )
}
