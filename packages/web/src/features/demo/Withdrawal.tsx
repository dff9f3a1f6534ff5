import { useState } from 'react'
import { demo } from '#messages/site/demo.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { computeArrival, isWeekend } from './banking-days.ts'
import { Pick } from './Pick.tsx'

const weekLength = 7
const week = Array.from({ length: weekLength }, (_, day) => day)

/** Weekday name in the page's language. January 1, 2024 was a Monday. */
const weekdayName = (day: number, weekday: 'short' | 'long' = 'short') =>
  new Intl.DateTimeFormat(textLocale(), { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + (day % weekLength)))

/** Arrival days of a withdrawal, by the day of the request. */
export function Withdrawal() {
  const [chosen, choose] = useState('4')
  const asked = week.find((day) => String(day) === chosen) ?? 0
  const { earliest, latest } = computeArrival(asked)
  const describeDay = (day: number) => {
    if (day === asked) return demo.banking.asked
    if (day === earliest) return demo.banking.earliest
    if (day === latest) return demo.banking.latest
    return isWeekend(day) ? demo.banking.closed : ''
  }
  const dayClass = (day: number) => {
    if (day === asked) return 'demo-day demo-asked'
    if (day === earliest) return 'demo-day demo-earliest'
    if (day === latest) return 'demo-day demo-latest'
    return isWeekend(day) ? 'demo-closed' : undefined
  }
  return (
    <>
      <p className="muted">{demo.banking.lead}</p>
      <div className="demo-body">
        <Pick
          label={demo.banking.label}
          choices={week.map((day) => ({ value: String(day), label: weekdayName(day) }))}
          value={chosen}
          onChange={choose}
        />
        <ol className="demo-days" aria-hidden="true">
          {week.map((after) => (
            <li key={after} className={dayClass(asked + after)}>
              {weekdayName(asked + after)}
              <b>{describeDay(asked + after)}</b>
            </li>
          ))}
        </ol>
        <p className="visually-hidden" role="status">
          {demo.banking.summary(weekdayName(asked, 'long'), weekdayName(earliest, 'long'), weekdayName(latest, 'long'))}
        </p>
      </div>
      <p className="demo-foot row tiny faint">{demo.banking.note}</p>
    </>
  )
}
