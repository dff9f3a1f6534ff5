import '../../../css/balance-proof.css'
import { useQuery } from '@tanstack/react-query'
import { type BalanceProofReply, balanceProof } from '@tern/contract/liabilities'
import { isCurrencyCode } from '@tern/money/currency'
import type { BalanceVerdict, ValidBalances } from '@tern/transparency/liabilities/verify-balance'
import { balanceProof as texts } from '#messages/statements/balance-proof.ts'
import { paths } from '../../../app/paths.ts'
import { buildQuery, retryUnlessRefused } from '../../../app/session/query.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { formatDateWithYear } from '../../../ui/format/date-with-year.ts'
import { formatDateTime } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { type KnownKeys, loadKeys } from '../../../app/log-policy.ts'
import { formatMinor, verifyOwnBalance } from './expected-balances.ts'

/** Time between two looks for a proof that is not ready, in milliseconds. */
const pause = 60_000

/** Proof that the person's balances are counted in what is owed to all, verified in this browser. */
export function BalanceProof({ userId }: { userId: number }) {
  const proof = useQuery({
    ...buildQuery(['balance-proof', userId], balanceProof, {}),
    retry: retryUnlessRefused(1),
    refetchInterval: ({ state }) => (state.data?.state === 'not_yet' ? pause : false),
  })
  const keys = useQuery({ queryKey: ['log-keys'], queryFn: loadKeys })
  const refresh = () => {
    void proof.refetch()
    void keys.refetch()
  }
  return (
    <RuledSection title={texts.title} text={texts.text} id="balance-proof">
      <div aria-live="polite" className="grid gap-5">
        <DataShell query={proof} skeleton={<TextSkeleton lines={4} />} failed={texts.failed}>
          {(reply) => <Reply reply={reply} keys={keys.data} userId={userId} onRefresh={refresh} />}
        </DataShell>
      </div>
    </RuledSection>
  )
}

interface ReplyProps {
  reply: BalanceProofReply
  keys: KnownKeys | undefined
  userId: number
  onRefresh: () => void
}

const formatDay = (day: string | null): string => formatDateWithYear(`${day ?? ''}T00:00Z`, 'UTC')

function Reply({ reply, keys, userId, onRefresh }: ReplyProps) {
  const { state, day } = reply
  if (state === 'not_yet') return <Waiting text={texts.notYet} onRefresh={onRefresh} />
  if (state === 'nothing_owed') return <p className="small muted">{texts.nothingOwed(formatDay(day))}</p>
  if (state === 'missing') {
    return (
      <Note tone="error">
        <p className="font-medium">{texts.missingTitle}</p>
        <p className="mt-1">{texts.missing(formatDay(day))}</p>
      </Note>
    )
  }
  if (!keys) return <TextSkeleton lines={4} />
  if (!keys.policy) return <Waiting text={texts.noKey} onRefresh={onRefresh} />
  const verdict = verifyOwnBalance(reply, { userId, policy: keys.policy })
  return (
    <>
      {keys.changed && (
        <Note tone="warning">
          <p>{texts.changedKey}</p>
          <p className="mt-2">
            <LinkButton to={paths.verifyReceipt}>{texts.openVerify}</LinkButton>
          </p>
        </Note>
      )}
      {verdict.state === 'valid' ? <Valid verdict={verdict} /> : <Invalid verdict={verdict} />}
      <div>
        <Button onClick={() => saveFile(new Blob([reply.file ?? '']), texts.fileName(day ?? ''))}>{texts.save}</Button>
      </div>
    </>
  )
}

const Waiting = ({ text, onRefresh }: { text: string; onRefresh: () => void }) => (
  <>
    <p className="small muted">{text}</p>
    <div>
      <Button onClick={onRefresh}>{texts.refresh}</Button>
    </div>
  </>
)

function Invalid({ verdict }: { verdict: Exclude<BalanceVerdict, ValidBalances> }) {
  const reason =
    verdict.reason === 'witness_signature'
      ? texts.reasons.witness_signature(verdict.witness)
      : texts.reasons[verdict.reason]
  return (
    <Note tone="error">
      <p className="font-medium">{verdict.reason === 'unknown_log' ? texts.unchecked : texts.invalid}</p>
      <p className="mt-1">{reason}</p>
      <p className="mt-1">{texts.whatToDo}</p>
    </Note>
  )
}

function Valid({ verdict: { day, balances, total, origin, witnesses } }: { verdict: ValidBalances }) {
  const list = (sums: ValidBalances['total'], name: (currency: string) => string) =>
    sums.flatMap(({ currency, minor }) =>
      isCurrencyCode(currency)
        ? [{ term: name(currency), value: formatExact(formatMinor(currency, minor), currency) }]
        : [],
    )
  const own = new Set(balances.map(({ currency }) => currency))
  return (
    <>
      <p className="balance-proof-mark">
        <Icon name="check" /> {texts.valid}
      </p>
      <DefinitionList
        small
        entries={[
          { term: texts.day, value: formatDay(day) },
          ...list(balances, texts.yours),
          ...list(
            total.filter(({ currency }) => own.has(currency)),
            texts.total,
          ),
          ...list(
            total.filter(({ currency }) => !own.has(currency)),
            texts.total,
          ),
        ]}
      />
      <div>
        <h3 className="text-small font-medium">{texts.checks}</h3>
        <ul className="balance-proof-checks">
          <Check>{texts.checked.balance}</Check>
          <Check>{texts.checked.log(origin)}</Check>
          {witnesses.map(({ name, time }) => (
            <Check key={name}>{texts.checked.witness(name, formatDateTime(new Date(time * 1000)))}</Check>
          ))}
          {witnesses.length === 0 && (
            <li className="muted">
              <Icon name="info" /> <span>{texts.checked.noWitness}</span>
            </li>
          )}
        </ul>
        <p className="small muted mt-3">{texts.compare}</p>
      </div>
    </>
  )
}

const Check = ({ children }: { children: string }) => (
  <li>
    <Icon name="check" /> <span>{children}</span>
  </li>
)
