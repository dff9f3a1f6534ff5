import { receive } from '#messages/transfers/requests.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { RecipientField } from '../../app/recipient/RecipientField.tsx'
import type { RequestFormModel } from './use-request-form.ts'

export function RequestOptions({ userId, form }: { userId: number; form: RequestFormModel }) {
  const { values, set, getError } = form
  return (
    <div className="mt-4 grid gap-6">
      <div>
        <RecipientField
          userId={userId}
          label={receive.payer}
          hint={receive.payerHint}
          text={values.payerText}
          recipient={values.payer}
          currency={undefined}
          error={getError('payerText')}
          onTextChange={(text) => {
            set('payer', undefined)
            set('payerText', text)
          }}
          onChoose={(user) => {
            set('payerText', user.username)
            set('payer', user)
          }}
          onLeave={form.lookUp}
        />
        {values.payer && (
          <Button
            look="ghost"
            className="-ms-3"
            onClick={() => {
              set('payer', undefined)
              set('payerText', '')
            }}
          >
            {receive.payerRemove}
          </Button>
        )}
      </div>
      <Switch checked={values.allowsParts} onChange={(event) => set('allowsParts', event.target.checked)}>
        {receive.parts}
      </Switch>
      <TextField
        label={receive.days}
        inputMode="numeric"
        maxLength={3}
        autoComplete="off"
        className="max-w-60"
        value={values.days}
        onChange={(event) => set('days', event.target.value)}
        error={getError('days')}
        hint={receive.daysHint}
      />
    </div>
  )
}
