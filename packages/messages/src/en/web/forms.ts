/** What the fields of a form and its steps say by themselves. */
export const forms = {
  optional: '(optional)',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  currency: 'Currency',
  progress: 'Progress',
  stepDone: 'done',
}
