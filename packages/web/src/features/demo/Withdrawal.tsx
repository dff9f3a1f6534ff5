import { useState } from 'react'
import { demo } from '#messages/site/demo.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { computeArrival, isWeekend } from './banking-days.ts'
import { DemoChoice } from './DemoChoice.tsx'

const weekLength = 7
const week = Array.from({ length: weekLength }, (_, day) => day)

/** Weekday name in the page's language. January 1, 2024 was a Monday. */
const weekdayName = (day: number, weekday: 'short' | 'long' = 'short') =>
  new Intl.DateTimeFormat(textLocale(), { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + (day % weekLength)))

/** Arrival days of a withdrawal, by the day of the request. */
export function Withdrawal() {
  const [dayText, setDayText] = useState('4')
  const startDay = week.find((day) => String(day) === dayText) ?? 0
  const { earliest, latest } = computeArrival(startDay)
  const describeDay = (day: number) => {
    if (day === startDay) return demo.banking.asked
    if (day === earliest) return demo.banking.earliest
    if (day === latest) return demo.banking.latest
    return isWeekend(day) ? demo.banking.closed : ''
  }
  const dayClass = (day: number) => {
    if (day === startDay) return 'font-medium text-ink demo-asked'
    if (day === earliest) return 'font-medium text-ink demo-earliest'
    if (day === latest) return 'font-medium text-ink demo-latest'
    return isWeekend(day) ? 'demo-closed' : undefined
  }
  return (
    <>
      <p className="muted">{demo.banking.lead}</p>
      <div className="demo-body flex-1 mt-5 sm:max-xl:mt-0">
        <DemoChoice
          label={demo.banking.label}
          choices={week.map((day) => ({ value: String(day), label: weekdayName(day) }))}
          value={dayText}
          onChange={setDayText}
        />
        <ol className="demo-days border-t border-t-ink grid grid-cols-[repeat(7,1fr)] mt-10" aria-hidden="true">
          {week.map((after) => (
            <li key={after} className={dayClass(startDay + after)}>
              {weekdayName(startDay + after)}
              <b className="[font-weight:inherit] block">{describeDay(startDay + after)}</b>
            </li>
          ))}
        </ol>
        <p className="visually-hidden" role="status">
          {demo.banking.summary(
            weekdayName(startDay, 'long'),
            weekdayName(earliest, 'long'),
            weekdayName(latest, 'long'),
          )}
        </p>
      </div>
      <p className="demo-foot flex-wrap mt-3 [&_.button-ghost]:-ms-3.25 row tiny faint">{demo.banking.note}</p>
    </>
  )
}
