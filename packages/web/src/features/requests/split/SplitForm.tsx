import '../../../css/split.css'
import type { CurrentUser } from '@tern/contract/identity'
import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { split } from '#messages/transfers/split.ts'
import { Form } from '../../../app/forms/Form.tsx'
import { paths } from '../../../app/paths.ts'
import { RecipientField } from '../../../app/recipient/RecipientField.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Segmented } from '../../../ui/forms/Segmented.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { ActionBar } from '../../../ui/layout/ActionBar.tsx'
import { SplitPeople } from './SplitPeople.tsx'
import { SplitSheet } from './SplitSheet.tsx'
import { type SplitFormModel, useSplitForm } from './use-split-form.ts'

const head =
  'mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 max-md:[&_.segmented]:flex ' +
  'max-md:[&_.segmented]:w-full max-md:[&_.segmented_button]:min-w-0 max-md:[&_.segmented_button]:flex-1 ' +
  'max-md:[&_.segmented_button]:px-1 max-md:[&_.segmented_button]:whitespace-normal'

const methods = [
  { value: 'equal', label: split.equal },
  { value: 'shares', label: split.shares },
  { value: 'amounts', label: split.amounts },
] as const

/** Bill, participants and split method, beside the resulting parts. */
export function SplitForm({ user, currency }: { user: CurrentUser; currency: FiatCode }) {
  const navigate = useNavigate()
  const toast = useToast()
  const form = useSplitForm(user, currency, ({ id, parts }) => {
    toast(split.sent(parts.length))
    void navigate(`${paths.split}?id=${id}`, { state: { isNew: true } })
    scrollTo({ top: 0 })
  })
  const { values, set, getError } = form
  const people = useRef<HTMLElement>(null)
  // With unassigned cents, moves the focus to the parts.
  const submit = () => (form.hasRemainder ? people.current?.querySelector('input')?.focus() : void form.submit())
  return (
    <Form
      className="mt-8 grid items-start gap-16 max-xl:grid-cols-1 max-xl:gap-12 xl:grid-cols-[minmax(0,1fr)_380px] max-xl:max-w-160 max-xl:max-md:max-w-none max-md:mt-6"
      submitCount={form.submitCount}
      onSubmit={submit}
    >
      <fieldset className="grid min-w-0 gap-6" disabled={form.isBusy}>
        <BillFields form={form} currency={currency} />
        <section aria-labelledby="split-people" ref={people}>
          <div className={head}>
            <h2 className="display-s" id="split-people">
              {split.between(values.people.length)}
            </h2>
            <Segmented label={split.how} choices={methods} value={values.method} onChange={form.people.setMethod} />
          </div>
          <SplitPeople form={form} currency={currency} />
          <RecipientField
            userId={user.id}
            label={split.add}
            hint={split.addHint}
            text={values.personText}
            recipient={undefined}
            currency={undefined}
            error={getError('personText')}
            onTextChange={(text) => set('personText', text)}
            onChoose={form.people.add}
            onLeave={form.lookUp}
          />
          <p className="visually-hidden" role="status">
            {form.people.announcement}
          </p>
        </section>
        {form.error && <Note tone="error">{form.error}</Note>}
        <ActionBar {...barLines(form, currency)}>
          <Button look="primary" big type="submit" processing={form.isBusy}>
            {split.send(form.draft.otherCount)}
          </Button>
        </ActionBar>
      </fieldset>
      <SplitSheet form={form} currency={currency} />
    </Form>
  )
}

/** Lines of the action bar: requested amount and number of payers, or the missing input. */
function barLines({ draft, hasRemainder }: SplitFormModel, currency: FiatCode): { title: string; detail: string } {
  const title = draft.total ? formatExact(toDecimal(draft.requested), currency) : split.enterTotal
  if (draft.otherCount === 0) return { title, detail: split.add }
  return { title, detail: hasRemainder ? split.sendOnce : split.payYou(draft.otherCount) }
}

function BillFields({ form: { values, set, getError }, currency }: { form: SplitFormModel; currency: FiatCode }) {
  return (
    <>
      <div className="amount-and-unit [&_.input-unit]:hidden">
        <MoneyField
          label={split.bill}
          currency={currency}
          value={values.total}
          onValueChange={(next) => set('total', next)}
          error={getError('total')}
        />
        <TextField label={split.currency} value={currency} readOnly />
      </div>
      <TextField
        label={split.description}
        optional
        maxLength={200}
        autoComplete="off"
        value={values.description}
        onChange={(event) => set('description', event.target.value)}
        error={getError('description')}
      />
    </>
  )
}
