import { answerDispute, type Dispute, objectToDispute, withdrawDispute } from '@tern/contract/disputes/disputes'
import { endOtherSessions } from '@tern/contract/security'
import { Suspense, useState } from 'react'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { callApi, refetchUser } from '../../app/session/session.ts'
import { callWithStepUp, notConfirmed } from '../../app/step-up/step-up.ts'
import { useAction } from '../../app/use-action.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { formatDate } from '../../ui/format/format.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { addFile } from './dispute-queries.ts'
import { FileButton } from './FileChooser.tsx'
import { collapseLines, TextArea } from './TextArea.tsx'

const ConfirmDialog = lazyComponent(() => import('../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

interface DisputeActionsProps {
  dispute: Dispute
  onChange: (dispute: Dispute) => void
  refetch: () => Promise<unknown>
}

/** Withdraws a dispute. Refetches the user, because an unrecovered provisional credit blocks outgoing payments. */
async function withdraw(id: string): Promise<Dispute> {
  const withdrawnDispute = await callApi(withdrawDispute, { params: { id } })
  await refetchUser()
  return withdrawnDispute
}

export function DisputeActions({ dispute, onChange, refetch }: DisputeActionsProps) {
  const {
    id,
    kind,
    may_add: canAdd,
    may_withdraw: canWithdraw,
    may_object: canObject,
    object_by: objectionDeadline,
  } = dispute
  const params = { id }
  const toast = useToast()
  const [openAction, setOpenAction] = useState<'add' | 'withdraw' | 'object'>()
  const action = useAction({ failed: texts.addFailed })
  const close = () => setOpenAction(undefined)
  /** Runs an action, shows the updated dispute and confirms with a toast. */
  const runAction = (call: () => Promise<Dispute>, successText: string) =>
    action.run(async () => {
      onChange(await call())
      close()
      toast(successText)
    })
  const add = (file: File) =>
    action.run(async () => {
      await addFile(id, file)
      await refetch()
      toast(texts.fileAdded)
    })
  if (!canAdd && !canObject) return null
  const dialog = { error: action.error, isBusy: action.isBusy, onClose: close }
  return (
    <section className="grid gap-4">
      {kind === 'unauthorized' && canAdd && <OtherDevices />}
      {canObject && objectionDeadline !== null && (
        <p className="small muted">{texts.objectText(formatDate(objectionDeadline))}</p>
      )}
      {action.error && openAction === undefined && <Note tone="error">{action.error}</Note>}
      <div className="row flex-wrap">
        {canAdd && <Button onClick={() => setOpenAction('add')}>{texts.add}</Button>}
        {canAdd && dispute.files.length < 10 && <FileButton onFile={add} isBusy={action.isBusy} />}
        {canWithdraw && (
          <Button look="ghost" className="-ms-3" onClick={() => setOpenAction('withdraw')}>
            {texts.withdraw}
          </Button>
        )}
        {canObject && <Button onClick={() => setOpenAction('object')}>{texts.object}</Button>}
      </div>
      {openAction === 'add' && (
        <TextDialog
          {...dialog}
          title={texts.add}
          label={texts.addText}
          onSend={(text) => runAction(() => callApi(answerDispute, { params, body: { text } }), texts.added)}
        />
      )}
      {openAction === 'object' && (
        <TextDialog
          {...dialog}
          title={texts.objectTitle}
          label={texts.objectReason}
          onSend={(text) => runAction(() => callApi(objectToDispute, { params, body: { text } }), texts.objected)}
        />
      )}
      {openAction === 'withdraw' && (
        <Suspense>
          <ConfirmDialog
            title={texts.withdrawTitle}
            text={texts.withdrawText}
            action={texts.withdraw}
            cancel={texts.cancel}
            onConfirm={() => runAction(() => withdraw(id), texts.withdrawn)}
            onClose={close}
          />
        </Suspense>
      )}
    </section>
  )
}

/** Offers to sign out other devices: an unauthorized payment may mean that the account is compromised. */
function OtherDevices() {
  const toast = useToast()
  const action = useAction({ failed: texts.addFailed })
  const logOut = () =>
    action.run(async () => {
      if ((await callWithStepUp(endOtherSessions, {})) !== notConfirmed) toast(texts.loggedOut)
    })
  return (
    <Note>
      <p className="mb-2">{action.error ?? texts.logOutOthersText}</p>
      <Button processing={action.isBusy} onClick={logOut}>
        {texts.logOutOthers}
      </Button>
    </Note>
  )
}

interface TextDialogProps {
  title: string
  label: string
  error: string | undefined
  isBusy: boolean
  onSend: (text: string) => void
  onClose: () => void
}

function TextDialog({ title, label, error, isBusy, onSend, onClose }: TextDialogProps) {
  const [text, setText] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  return (
    <Dialog open title={title} size="small" onClose={onClose}>
      <form
        className="mt-4 grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const explanation = collapseLines(text)
          setIsMissing(explanation === '')
          if (explanation !== '') onSend(explanation)
        }}
      >
        <TextArea
          label={label}
          value={text}
          error={isMissing ? texts.missing : undefined}
          onChange={({ target }) => {
            setText(target.value)
            setIsMissing(false)
          }}
        />
        {error && <Note tone="error">{error}</Note>}
        <Button type="submit" look="primary" big wide processing={isBusy}>
          {texts.addSend}
        </Button>
      </form>
    </Dialog>
  )
}
