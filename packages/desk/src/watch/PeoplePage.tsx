import { type DeskPerson, lookUpPerson } from '@tern/contract/desk/watch'
import { calls as callTexts } from '@tern/messages/en/desk/calls'
import { facts } from '@tern/messages/en/desk/facts'
import { watch } from '@tern/messages/en/desk/watch'
import { type FormEvent, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatDate, formatMoney } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call } from '../app/client.ts'
import { errorMessage, useMe, useOwnCall } from '../app/use-desk.ts'
import { CallAlerts } from './CallAlerts.tsx'
import { OwnCall } from './OwnCall.tsx'
import { Page, ScrollArea } from './Page.tsx'
import { StartCall } from './StartCall.tsx'

const texts = watch.people

/** Page that finds a person by an exact identifier. The search text is never part of a URL. */
export function PeoplePage() {
  const [searchText, setSearchText] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const mayCall = useMe().acts.includes('calls')
  const { data: calls } = useOwnCall(mayCall)
  const [result, setResult] = useState<{ person?: DeskPerson | null; problem?: string }>({})

  async function find(event: FormEvent) {
    event.preventDefault()
    setIsBusy(true)
    try {
      setResult(await call(lookUpPerson, { body: { who: searchText } }))
    } catch (error) {
      setResult({ problem: errorMessage(error) })
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Page title={texts.title} text={texts.hint}>
      {calls?.call && <OwnCall ownCall={calls.call} />}
      {calls && calls.alerts > 0 && <CallAlerts count={calls.alerts} />}
      <form
        className="flex max-w-140 flex-wrap items-end gap-2 [&+.note]:mt-4 [&+.note]:max-w-140"
        onSubmit={(event) => void find(event)}
        role="search"
      >
        <label className="dk-field flex-[1_1_260px]">
          {texts.label}
          <input
            type="search"
            value={searchText}
            onChange={({ target }) => setSearchText(target.value)}
            required
            maxLength={254}
            autoComplete="off"
            // Searching is the only purpose of the page.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
          />
        </label>
        <Button look="primary" type="submit" processing={isBusy} className="min-h-9 max-md:min-h-11">
          {texts.find}
        </Button>
      </form>
      {result.problem && <Note tone="error">{result.problem}</Note>}
      {result.person === null && <Note live>{texts.nobody}</Note>}
      {result.person && (
        <>
          <Person person={result.person} />
          {mayCall && !calls?.call?.code && (
            <>
              <h2>{callTexts.start}</h2>
              <StartCall personId={result.person.id} />
            </>
          )}
        </>
      )}
    </Page>
  )
}

function Person({ person }: { person: DeskPerson }) {
  const { holds, verifications } = person.waiting
  const rows = [
    [texts.number, String(person.id)],
    [texts.name, person.name ?? texts.noName],
    [texts.email, person.email],
    [texts.verification, facts.codes[person.kyc_status as keyof typeof facts.codes]],
    [texts.country, person.country ?? texts.noCountry],
    [texts.since, formatDate(person.created_at)],
    [texts.waiting, texts.waitingCount(holds, verifications)],
  ]
  return (
    <>
      <h2>{person.username}</h2>
      <dl>
        {rows.map(([label, value]) => (
          <div key={label} className="dk-pair max-w-160 max-md:grid-cols-[minmax(0,130px)_minmax(0,1fr)] max-md:gap-2">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{texts.balances}</h2>
      <ScrollArea label={texts.balances}>
        <table className="dk-table max-w-160 [&_:is(th,td)]:whitespace-normal">
          <thead>
            <tr>
              <th scope="col">{texts.currency}</th>
              <th scope="col">{texts.available}</th>
              <th scope="col">{texts.held}</th>
            </tr>
          </thead>
          <tbody>
            {person.balances.map(({ currency, available, held }) => (
              <tr key={currency}>
                <th scope="row">{currency}</th>
                <td>{formatMoney(available, currency)}</td>
                <td>{formatMoney(held, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      <h2>{texts.limits}</h2>
      <Limits limits={person.limits} />
    </>
  )
}

function limitName({ direction, method, period, is_own: isOwn }: DeskPerson['limits'][number]): string {
  const methodText = method === null ? texts.allMethods : texts.methods[method as keyof typeof texts.methods]
  return `${texts.directions[direction]}: ${methodText}, ${texts.periods[period]}${isOwn ? ` (${texts.own})` : ''}`
}

function Limits({ limits }: Pick<DeskPerson, 'limits'>) {
  return (
    <ScrollArea label={texts.limits}>
      <table className="dk-table max-w-160 [&_:is(th,td)]:whitespace-normal">
        <thead>
          <tr>
            <th scope="col">{texts.limit}</th>
            <th scope="col">{texts.used}</th>
            <th scope="col">{texts.max}</th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={limitName(limit)}>
              <th scope="row">{limitName(limit)}</th>
              <td>{formatMoney(limit.used, 'USD')}</td>
              <td>{limit.max === null ? texts.noMax : formatMoney(limit.max, 'USD')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}
