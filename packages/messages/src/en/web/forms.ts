interface Refused {
  text: string
  currency: string
  scale: number
}

/** Texts shared by all form fields and steps. */
export const forms = {
  optional: '(optional)',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  currency: 'Currency',
  progress: 'Progress',
  stepDone: 'done',
}

/** Reasons for refusing the input of an amount field. */
export const amountRefused = {
  negative: ({ text }: Refused) => `Please enter a valid amount. “${text}” is not above zero.`,
  unreadable: ({ text }: Refused) => `Please enter a valid amount. “${text}” isn’t one: use digits, such as 1234.56.`,
  places: ({ text, currency, scale }: Refused) =>
    scale === 0
      ? `“${text}” has decimals. ${currency} has none.`
      : `“${text}” has too many decimals. ${currency} has ${scale}.`,
}
