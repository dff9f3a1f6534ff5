/** Settings for optional emails. */
export const mailChoices = {
  title: 'Emails',
  text: 'We always email you about security, and about your bank accounts and cards.',
  legend: 'Also email me about',
  payments: 'Money I receive',
  requests: 'Requests for money, and when they are paid',
  saved: 'Emails saved',
  saveFailed: 'Your choice could not be saved. Please try again.',
  loadFailed: "We couldn't load which emails you get.",
}
