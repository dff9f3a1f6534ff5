import { useQuery } from '@tanstack/react-query'
import { type DisputeKind, disputeOptions } from '@tern/contract/disputes/disputes'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { Refused } from '@tern/contract/protocol/client'
import { useEffect } from 'react'
import { Link, useNavigate } from 'react-router'
import { transactions as words } from '#messages/transactions.ts'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { paths } from '../../app/paths.ts'
import { buildQuery, retryUnlessRefused } from '../../app/session/query.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { formatDate, formatDateTime, formatMoney } from '../../ui/format/format.ts'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { RadioList } from '../../ui/forms/RadioList.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'
import { shortCounterparty } from '../../ui/money/activity.ts'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { DeadlineScale } from './DeadlineScale.tsx'
import { ChosenFiles } from './FileChooser.tsx'
import { TextArea } from './TextArea.tsx'
import { type DisputeForm, useDisputeForm } from './use-dispute-form.ts'

type Options = Reply<typeof disputeOptions>

const skeleton = (
  <div className="mt-6" aria-busy="true">
    <TextSkeleton lines={6} />
  </div>
)

export function NewDispute({ transactionId, userId }: { transactionId: string; userId: number }) {
  const optionsQuery = useQuery({
    ...buildQuery(['disputes', userId], disputeOptions, { params: { id: transactionId } }),
    retry: retryUnlessRefused(1),
  })
  const { dispute_id: existingId } = optionsQuery.data ?? {}
  const navigate = useNavigate()
  useEffect(() => {
    if (existingId) void navigate(`${paths.disputes}/${existingId}`, { replace: true })
  }, [existingId, navigate])
  if (existingId) return null
  return (
    <>
      <p className="small -mt-3">
        <Link className="inline-block py-3" to={paths.transactions}>
          {texts.backToTransactions}
        </Link>
      </p>
      <h1 className="display-m">{texts.newTitle}</h1>
      <p className="muted mt-2">{texts.newText}</p>
      {optionsQuery.data ? (
        <DisputeFormPage options={optionsQuery.data} userId={userId} />
      ) : optionsQuery.error instanceof Refused ? (
        <EmptyState title={texts.loadFailed} text={optionsQuery.error.message}>
          <LinkButton look="primary" to={paths.transactions}>
            {texts.toTransactions}
          </LinkButton>
        </EmptyState>
      ) : (
        <DataShell query={optionsQuery} skeleton={skeleton} failed={texts.loadFailed} />
      )}
    </>
  )
}

function DisputeFormPage({ options: { transaction, options }, userId }: { options: Options; userId: number }) {
  const firstOption =
    options.find(({ kind, barred }) => kind === 'unauthorized' && barred === null) ??
    options.find(({ barred }) => barred === null)
  return (
    <div className="dispute mt-6">
      {firstOption ? (
        <Form options={{ transaction, options, dispute_id: null }} userId={userId} first={firstOption.kind} />
      ) : (
        <div>
          <Note>{texts.nothingPossible}</Note>
        </div>
      )}
      <Payment transaction={transaction} />
    </div>
  )
}

function Payment({ transaction }: Pick<Options, 'transaction'>) {
  const {
    source_amount: amount,
    source_currency: source,
    target_amount: received,
    target_currency: target,
  } = transaction
  return (
    <aside className="grid gap-6 content-start pt-6 border-t xl:pt-0 xl:ps-8 xl:border-t-0 xl:border-s">
      <section>
        <h2 className="field-label">{texts.payment}</h2>
        <p className="display-s">{formatMoney(transaction.amount, transaction.currency)}</p>
        <p className="small muted mb-3">
          {transaction.counterparty && `${texts.to(shortCounterparty(transaction))}, `}
          <time dateTime={transaction.timestamp}>{formatDateTime(transaction.timestamp)}</time>
        </p>
        <DefinitionList
          small
          entries={[
            { term: words.amount, value: formatMoney(amount, source) },
            { term: words.fee, value: formatMoney(transaction.fee, transaction.fee_currency) },
            { term: texts.recordArrived, value: formatMoney(received, target) },
            { term: words.reference, value: deriveReference(transaction.id) },
          ]}
        />
      </section>
      <section>
        <h2 className="field-label">{texts.inTheFile}</h2>
        <p className="small muted">{texts.inTheFileText}</p>
      </section>
    </aside>
  )
}

function Form({ options, userId, first }: { options: Options; userId: number; first: DisputeKind }) {
  const form = useDisputeForm({ options, userId, first })
  const { kind, values, change, option } = form
  return (
    <form
      ref={form.place}
      className="grid gap-6"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <RadioList
        legend={texts.whatHappened}
        value={kind}
        onChange={(next) => change({ kind: next })}
        choices={form.options.map(({ kind: value, barred }) => ({
          value,
          disabled: barred !== null,
          label: (
            <span className="grid gap-0.5">
              <b>{texts.kinds[value]}</b>
              <span className="small muted">{barred === null ? texts.kindTexts[value] : texts.barred[barred]}</span>
            </span>
          ),
        }))}
      />
      <KindFields form={form} options={options} />
      <TextArea
        label={texts.statement}
        hint={texts.statementHint}
        value={values.statement}
        error={form.errors.statement}
        onChange={({ target }) => change({ statement: target.value })}
      />
      <ChosenFiles files={values.files} onChange={(files) => change({ files })} />
      {option && (
        <div>
          <DeadlineScale from={form.now} to={option.decide_by} startLabel={texts.youSendIt} />
          {form.fee !== undefined && <p className="hint">{texts.claimable(form.claimed, form.fee)}</p>}
          <p className="hint">
            {texts.businessDays}{' '}
            {option.credit_by !== null &&
              (kind === 'wrong_amount'
                ? texts.creditClaimed(formatDate(option.credit_by))
                : texts.creditBy(form.claimed, formatDate(option.credit_by)))}
          </p>
        </div>
      )}
      {form.error && <Note tone="error">{form.error}</Note>}
      <ActionBar {...barLines(form)}>
        <LinkButton big className="wide-only" to={paths.transactions}>
          {texts.cancel}
        </LinkButton>
        <Button type="submit" look="primary" big processing={form.isBusy}>
          {texts.send}
        </Button>
      </ActionBar>
    </form>
  )
}

/** Lines of the action bar: claimed amount and decision date, or the missing field. */
function barLines({ kind, values, option, claimed }: DisputeForm): { title: string; detail?: string } {
  if (kind === 'wrong_amount' && values.expected === '') return { title: texts.bar.amount }
  if (values.statement.trim() === '') return { title: texts.bar.statement }
  if (!option) return { title: texts.bar.ready }
  const detail = texts.bar.decision(formatDate(option.decide_by))
  return { title: kind === 'wrong_amount' ? texts.bar.ready : texts.bar.claims(claimed), detail }
}

function KindFields({ form, options: { transaction } }: { form: DisputeForm; options: Options }) {
  const { kind, values, change } = form
  if (kind === 'unauthorized') {
    return (
      <>
        <Note tone="warning">
          <p className="mb-2">{texts.freezeHint}</p>
          <Switch checked={values.freeze} onChange={({ target }) => change({ freeze: target.checked })}>
            {texts.freeze}
          </Switch>
        </Note>
        <RadioList
          legend={texts.wasAsked}
          value={values.wasAsked}
          onChange={(wasAsked) => change({ wasAsked })}
          choices={[
            { value: 'yes', label: texts.yesAsked },
            { value: 'no', label: texts.notAsked },
          ]}
        />
      </>
    )
  }
  const [paidAmount, receivedAmount] = [
    formatMoney(form.paid, transaction.source_currency),
    formatMoney(transaction.target_amount, transaction.target_currency),
  ]
  if (kind === 'not_received') {
    return (
      <section>
        <h2 className="field-label">{texts.record}</h2>
        <p className="small muted">{texts.recordText}</p>
        <DefinitionList
          small
          entries={[
            { term: texts.recordState, value: form.state },
            { term: texts.recordLeft, value: paidAmount },
            { term: texts.recordArrived, value: receivedAmount },
            { term: texts.recordOn, value: formatDateTime(transaction.timestamp) },
          ]}
        />
      </section>
    )
  }
  return (
    <>
      <RadioList
        legend={texts.whichAmount}
        value={values.side}
        onChange={(side) => change({ side })}
        choices={(['paid', 'arrived'] as const).map((value) => ({ value, label: texts.sides[value] }))}
      />
      <MoneyField
        label={texts.expected[values.side]}
        hint={texts.recorded(values.side === 'paid' ? paidAmount : receivedAmount)}
        currency={values.side === 'paid' ? transaction.source_currency : transaction.target_currency}
        value={values.expected}
        error={form.errors.expected_amount}
        onValueChange={(expected) => change({ expected })}
      />
    </>
  )
}
