export const statementMails = {
  button: 'See your statement',
  subject: ({ month }: { month: string }) => `Your statement for ${month}`,
  preview: 'The month is complete.',
  text: ({ month }: { month: string }) =>
    `Your statement for ${month} is complete. You can read it and download it after you log in.`,
  labels: { opening: 'Opening balance', closing: 'Closing balance' },
  turn_off: "If you didn't ask for this email, turn it off on the page of your statements.",
} as const
