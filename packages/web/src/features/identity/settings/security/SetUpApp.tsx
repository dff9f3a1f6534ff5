import { useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { confirmTotp, totpCode } from '@tern/contract/security'
import { copying } from '#messages/copying.ts'
import { account } from '#messages/identity/account.ts'
import { schemaErrors } from '../../../../app/forms/resolver.ts'
import { callApi } from '../../../../app/session/session.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { QrCode } from '../../../../ui/codes/QrCode.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { FieldsForm } from '../../FieldsForm.tsx'
import { useAttempt } from '../../use-attempt.ts'
import { useCopy } from '../../../../ui/feedback/use-copy.ts'

interface SetUpAppProps {
  secret: string
  uri: string
  onCodes: (codes: readonly string[] | null) => void
  onEnd: () => void
}

const formatSecret = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** Key for the authenticator app as QR code and text, with a code field to confirm it. */
export function SetUpApp({ secret, uri, onCodes, onEnd }: SetUpAppProps) {
  const attempt = useAttempt<{ code: string }, 'confirm'>({ code: '' }, (values) => schemaErrors(totpCode, values))
  const queryClient = useQueryClient()
  const toast = useToast()
  const copy = useCopy()

  async function confirm(code: string) {
    try {
      const { recovery_codes: codes } = await callApi(confirmTotp, { body: { code: code.replaceAll(/\s/g, '') } })
      toast(account.appReady)
      onCodes(codes)
      onEnd()
      void queryClient.invalidateQueries({ queryKey: ['security'] })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.code === 'code_invalid') return attempt.showFailures({ code: error.message })
      if (error.code === 'challenge_invalid') return attempt.showFailures({ root: account.setUpExpired })
      throw error
    }
  }

  const submit = () => attempt.submit(({ code }) => attempt.run('confirm', account.failed, () => confirm(code)))

  return (
    <div className="grid gap-5 border-s-3 border-sea ps-5">
      <p>{account.scan}</p>
      <QrCode text={uri} label={account.qrLabel} />
      <div>
        <p className="small muted">{account.typeInstead}</p>
        <div className="row flex-wrap">
          <code className="codes">{formatSecret(secret)}</code>
          <span className="entry-actions flex flex-wrap [&:has(.button-ghost)]:-mx-3">
            <Button look="ghost" icon="copy" onClick={() => copy(secret, copying.copied(account.key))}>
              {account.copyKey}
            </Button>
          </span>
        </div>
      </div>
      <FieldsForm
        attempt={attempt}
        onSubmit={submit}
        openedForm={{ label: account.turnOn, isBusy: attempt.isBusy, onCancel: onEnd }}
      >
        <TextField
          label={account.appCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          {...attempt.field('code')}
        />
      </FieldsForm>
    </div>
  )
}
