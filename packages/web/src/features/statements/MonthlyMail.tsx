import { useQuery } from '@tanstack/react-query'
import { setStatementMails, type StatementMails } from '@tern/contract/statements'
import { statements as texts } from '#messages/statements/statements.ts'
import { ownTimeZone } from '../../app/browser/time-zone.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'
import { formatDay } from '../../ui/format/format-day.ts'
import { RuledSection } from '../../ui/layout/RuledSection.tsx'
import { formatPeriod, listDays } from '../../app/periods/period-choices.ts'
import { statementMailsQuery } from './statement-queries.ts'

/** Day after the end of a month. */
const dayAfter = (month: string): string =>
  new Date(Date.parse(listDays({ period: month })[1]) + 86_400_000).toISOString().slice(0, 10)

const describeNext = ({ next_month: month }: StatementMails): string | undefined =>
  month === null ? undefined : texts.nextMail(formatPeriod({ period: month }), formatDay(dayAfter(month)))

/** Turns the monthly email on and off. */
export function MonthlyMail({ userId }: { userId: number }) {
  const mailsQuery = statementMailsQuery(userId)
  const { data } = useQuery(mailsQuery)
  const action = useApiMutation({ failed: texts.mailsFailed, refetches: [mailsQuery.queryKey] })
  return (
    <RuledSection title={texts.mailsTitle} text={texts.mailsText} id="monthly-email">
      <div className="grid gap-2">
        <Switch
          checked={data?.is_on ?? false}
          disabled={data === undefined || action.isBusy}
          onChange={({ target: { checked } }) =>
            action.send(setStatementMails, { body: { is_on: checked, time_zone: ownTimeZone() } })
          }
        >
          {texts.mailsSwitch}
        </Switch>
        <p className="small muted" role="status">
          {data?.is_on && describeNext(data)}
        </p>
        {action.error && <Note tone="error">{action.error}</Note>}
      </div>
    </RuledSection>
  )
}
