// Days of the safeguarding comparison, which begin at midnight UTC.

import { addBusinessDays } from '../payments/payments.ts'

const dayMs = 86_400_000

/** Country whose business days set the deadlines. */
const country = 'GB'

export const toDay = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length)

/** Start of a day. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`)

/** End of a day, which is the start of the next one. */
export const endOf = (day: string): Date => new Date(startOf(day).getTime() + dayMs)

export const nextDay = (day: string): string => toDay(endOf(day))

export const dayBefore = (day: string): string => toDay(new Date(startOf(day).getTime() - dayMs))

/** End of the business day after `day`, on which a difference is found and must be put right. */
export const findDeadline = (day: string): Date => endOf(addBusinessDays(country, day, 1))
