// Statements: what other features may use of them.

export { clockSkewMs } from './account-entries.ts'
export { addDays, findDayStart, toDay } from './period.ts'
export { readOpening } from './read-movements.ts'
