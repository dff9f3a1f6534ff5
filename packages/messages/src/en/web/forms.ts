import { plural } from '../../plural.ts'

const counted = plural('en')

/** What the fields of a form and its steps say by themselves. */
export const forms = {
  optional: '(optional)',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  currency: 'Currency',
  errorSummary: (count: number) =>
    counted(count, { one: 'One field needs another look', other: `${count} fields need another look` }),
  progress: 'Progress',
  stepDone: 'done',
}
